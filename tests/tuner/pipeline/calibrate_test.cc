// The calibration's launches, and all of it against a GPU that is made of a profile.
#include "tuner/pipeline/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "expr/error.h"
#include "tests/models/synthetic_gpu.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

using models::Probe;
using testing::HasSubstr;
using testing::IsEmpty;

models::DeviceProfile device_of(const std::string& id) {
  return models::load_device_profile(data_folder() / "configs/devices" / (id + ".json"));
}

// Says of every kernel that it has so many registers.
class FakeCompiler : public Compiler {
 public:
  explicit FakeCompiler(int registers) : registers_(registers) {}
  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    CompileResult result;
    result.status = CompileResult::Status::ok;
    result.cubin = job.source;
    for (const std::string& entry : job.entries) {
      EntryFacts facts;
      facts.entry = entry;
      facts.lowered_name = "lowered " + entry;
      facts.registers = registers_;
      result.entries.push_back(facts);
    }
    done(std::move(result));
  }
  void cancel() override {}
  int parallelism() const override { return 1; }

 private:
  int registers_;
};

// Finds each job's launch in the plan, and asks the GPU that is made of a profile.
class SyntheticMeasurer : public Measurer {
 public:
  SyntheticMeasurer(const CalibrationPlan& plan, models::SyntheticGpu& gpu)
      : plan_(plan), gpu_(gpu) {}
  MeasureResult measure(const MeasureJob& job) override {
    const LaunchStep& step = job.steps.front();
    MeasureResult result;
    for (const ProbeLaunch& launch : plan_.launches) {
      if ("lowered " + launch.entry != step.lowered_name || !same(launch.step, step)) continue;
      result.time_ns = gpu_.time_ns(launch.point);
      return result;
    }
    result.status = "launch_error";
    result.reason = "not in the plan";
    return result;
  }
  std::vector<MeasureResult> compare(const CompareJob&) override { return {}; }
  void cancel() override {}

 private:
  static bool same(const LaunchStep& a, const LaunchStep& b) {
    return a.grid == b.grid && a.block == b.block &&
           std::ranges::equal(a.arguments, b.arguments, [](const auto& left, const auto& right) {
             return left.name == right.name && left.value == right.value;
           });
  }
  const CalibrationPlan& plan_;
  models::SyntheticGpu& gpu_;
};

class EveryDevice : public testing::TestWithParam<const char*> {};

TEST_P(EveryDevice, HasLaunchesThatFitIt) {
  const models::DeviceProfile device = device_of(GetParam());
  const CalibrationPlan plan = calibration_plan(device);
  std::set<Probe> probes;
  for (const ProbeLaunch& launch : plan.launches) {
    probes.insert(launch.point.probe);
    EXPECT_GT(launch.step.grid[0], 0);
    EXPECT_LE(launch.step.grid[0], device.max_grid_x);
    EXPECT_EQ(launch.step.block[0], launch.point.threads);
    EXPECT_LE(launch.point.threads * std::max(launch.point.blocks_per_sm, 1),
              device.max_threads_per_sm);
    std::int64_t bytes = 0;
    for (const WorkspaceSpec& workspace : launch.workspaces) bytes += workspace.bytes;
    EXPECT_LE(bytes, device.memory_bytes / 4) << launch.entry;
    EXPECT_GT(launch.point.amount, 0);
  }
  EXPECT_EQ(probes.size(), 19U);
  std::int64_t chains = 0;
  for (const BufferSpec& chain : plan.chains) chains += chain.count * 4;
  EXPECT_LE(chains, device.memory_bytes / 4);
  EXPECT_GE(plan.chains.back().count * 4, 4 * device.l2_bytes);
}

// Each loop's kernel does whole turns, so that it does what its amount says.
TEST_P(EveryDevice, IsAskedForWholeTurns) {
  const models::DeviceProfile device = device_of(GetParam());
  for (const ProbeLaunch& launch : calibration_plan(device).launches) {
    const auto scalar = [&](std::size_t index) {
      return std::get<std::int64_t>(launch.step.arguments.at(index).value);
    };
    const auto& point = launch.point;
    const std::int64_t threads = launch.step.grid[0] * launch.step.block[0];
    switch (point.probe) {
      case Probe::fma_three:
      case Probe::fma_two:
      case Probe::fma_immediate:
      case Probe::fma_double:
        EXPECT_EQ(scalar(0) * static_cast<std::int64_t>(point.variant) % 256, 0) << launch.entry;
        EXPECT_EQ(static_cast<double>(scalar(0)) * point.variant, point.amount);
        break;
      case Probe::read:
      case Probe::copy: {
        // In flight a thread, in items.
        const std::int64_t count = scalar(point.probe == Probe::copy ? 2 : 1);
        const auto width = static_cast<std::int64_t>(point.amount) / count;
        const auto loads = static_cast<std::int64_t>(point.variant) /
                           (point.threads * point.blocks_per_sm) / width;
        EXPECT_EQ(count % (loads * threads), 0) << launch.entry;
        break;
      }
      case Probe::l2_read:
        EXPECT_EQ(scalar(1) % (4 * threads), 0);
        EXPECT_LE(scalar(1) * 16, device.l2_bytes / 2);
        break;
      case Probe::scale:
        EXPECT_EQ(static_cast<double>(threads), point.amount);
        break;
      default:
        break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, EveryDevice,
                         testing::Values("a100", "b200", "h100", "h200", "l40s", "rtx3090",
                                         "rtx4090", "rtx5090", "t4"));

ProbeTimes probed(const models::DeviceProfile& before, models::SyntheticGpu& gpu, int registers) {
  const CalibrationPlan plan = calibration_plan(before);
  FakeCompiler compiler(registers);
  return run_probes(
      plan, before,
      {compiler,
       [&](const MeasureSetup&) { return std::make_unique<SyntheticMeasurer>(plan, gpu); },
       {}});
}

TEST(RunProbes, GivesTheFitsWhatTheyNeed) {
  const models::DeviceProfile before = device_of("h200");
  models::DeviceProfile truth = before;
  truth.core_clock_mhz = 1800;
  truth.dram_gbps = 4200;
  truth.latency_norm = 2.2;
  truth.block_drain = 0.2;
  truth.issue_per_clock = 3.7;
  models::SyntheticGpu gpu(truth, 0.002);
  const ProbeTimes times = probed(before, gpu, 32);
  EXPECT_THAT(times.failures, IsEmpty());
  const models::Calibration found = models::calibrate(before, times.points);
  for (const models::Figure& figure : found.figures) {
    EXPECT_THAT(figure.refusal, IsEmpty()) << figure.name << " " << figure.value;
  }
  EXPECT_NEAR(found.profile.core_clock_mhz, 1800, 18);
  EXPECT_NEAR(found.profile.dram_gbps, 4200, 42);
  EXPECT_NEAR(found.profile.dram_latency_ns, truth.dram_latency_ns, 10);
  EXPECT_NEAR(found.profile.latency_norm, 2.2, 0.1);
  EXPECT_NEAR(found.profile.block_drain, 0.2, 0.02);
  EXPECT_NEAR(found.profile.issue_per_clock, 3.7, 0.05);
}

TEST(RunProbes, LeavesOutBlocksThatWouldNotAllBeResident) {
  const models::DeviceProfile device = device_of("h200");
  models::SyntheticGpu gpu(device, 0);
  // 64 registers: a block of 1024 threads a SM, and no second one.
  for (const models::ProbePoint& point : probed(device, gpu, 64).points) {
    EXPECT_LE(point.threads * point.blocks_per_sm, 1024);
  }
}

TEST(RunProbes, NamesWhatCouldNotBeMeasured) {
  const models::DeviceProfile device = device_of("t4");
  models::SyntheticGpu gpu(device, 0);
  const CalibrationPlan plan = calibration_plan(device), nothing;
  FakeCompiler compiler(16);
  const ProbeTimes times = run_probes(
      plan, device,
      {compiler,
       [&](const MeasureSetup&) { return std::make_unique<SyntheticMeasurer>(nothing, gpu); },
       {}});
  EXPECT_EQ(times.points.size(), 0U);
  EXPECT_EQ(times.failures.size(), plan.launches.size());
  EXPECT_THAT(times.failures.front(),
              HasSubstr("launch of 32 threads: launch_error: not in the plan"));
}

TEST(RunProbes, EndsWhereProgressThrows) {
  const models::DeviceProfile device = device_of("t4");
  models::SyntheticGpu gpu(device, 0);
  const CalibrationPlan plan = calibration_plan(device);
  FakeCompiler compiler(16);
  const CalibrationBench bench{
      compiler, [&](const MeasureSetup&) { return std::make_unique<SyntheticMeasurer>(plan, gpu); },
      [](std::size_t, std::size_t) { throw TunerError("stop", ExitCode::interrupted); }};
  EXPECT_THROW(run_probes(plan, device, bench), TunerError);
}

}  // namespace
}  // namespace tuner
