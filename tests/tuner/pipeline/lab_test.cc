// What the model says of the classic experiments, against published figures.
#include "tuner/pipeline/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tuner/os/paths.h"

namespace tuner {
namespace {

models::DeviceProfile device_of(const std::string& id) {
  return models::load_device_profile(data_folder() / "configs/devices" / (id + ".json"));
}

LabReport predicted(const std::string& name, const std::string& device) {
  const LabBench bench{device_of(device), nullptr, nullptr};
  for (const Experiment& experiment : lab_experiments(bench.device)) {
    if (experiment.name == name) return run_experiment(experiment, bench);
  }
  throw std::out_of_range(name);
}

double rate(const LabReport& report, const std::string& label) {
  const auto row = std::ranges::find(report.rows, label, &LabRow::label);
  if (row == report.rows.end()) throw std::out_of_range(label);
  return row->work / row->predicted_ns;
}

TEST(Lab, EveryCaseIsAConfigurationOfItsKernel) {
  for (const char* device : {"h200", "t4"}) {
    const LabBench bench{device_of(device), nullptr, nullptr};
    for (const Experiment& experiment : lab_experiments(bench.device)) {
      const LabReport report = run_experiment(experiment, bench);
      EXPECT_FALSE(report.why.empty());
      for (const LabRow& row : report.rows) {
        EXPECT_TRUE(row.predicted_ns > 0 && std::isfinite(row.predicted_ns))
            << device << " " << experiment.name << " " << row.label << ": " << row.failure;
      }
      if (!report.baseline.empty()) {
        EXPECT_GT(rate(report, report.baseline), 0) << experiment.name;
      }
    }
  }
}

// A T4's measured strides 1 to 32: 244, 172, 108, 60, 30, 27 GB/s of 320.
TEST(Lab, StridesOnAT4HaveThePublishedShape) {
  const LabReport report = predicted("coalescing", "t4");
  // 0.69 as it stands: the instructions of the division weigh more in the model than on the GPU.
  EXPECT_NEAR(rate(report, "stride 1") / 320, 0.76, 0.09);
  for (const auto& [stride, gbps] : {std::pair{2, 172}, {4, 108}, {8, 60}, {16, 30}, {32, 27}}) {
    EXPECT_NEAR(rate(report, "stride " + std::to_string(stride)), gbps, 0.25 * gbps) << stride;
  }
  EXPECT_NEAR(rate(report, "stride 1") / rate(report, "stride 32"), 9, 2);
}

// 0.58 ms along rows, 2.05 to 2.41 down columns.
TEST(Lab, AColumnWalkOnAT4TakesTwoToFourTimesAsLong) {
  const LabReport report = predicted("rows-cols", "t4");
  const double ratio = rate(report, "rows 32x8") / rate(report, "columns 32x8");
  EXPECT_GT(ratio, 2);
  EXPECT_LT(ratio, 5);
  EXPECT_LT(rate(report, "rows 32x8") / rate(report, "columns 8x32"), ratio);
}

// 184 GB/s with 32 threads, 242 to 244 with 64 and more.
TEST(Lab, BlocksOfOneWarpAreSlowOnAT4AndOthersAlike) {
  const LabReport report = predicted("block-sweep", "t4");
  EXPECT_LT(rate(report, "32 threads"), 0.9 * rate(report, "64 threads"));
  for (const char* threads : {"64 threads", "128 threads", "512 threads", "1024 threads"}) {
    EXPECT_NEAR(rate(report, threads), rate(report, "256 threads"),
                0.05 * rate(report, "256 threads"))
        << threads;
  }
}

// NVIDIA's figures for 256 threads: 4, 4, 4, 2 and 1 blocks with 0, 8, 16, 32 and 48 KB.
TEST(Lab, SharedMemoryLimitsBlocksOnAT4AsPublished) {
  const LabReport report = predicted("smem-limit", "t4");
  std::vector<int> blocks;
  for (std::size_t i = 0; i < 5; ++i) blocks.push_back(report.rows[i].blocks_per_sm);
  EXPECT_THAT(blocks, testing::ElementsAre(4, 4, 4, 2, 1));
}

TEST(Lab, APaddedTileHasNoBankConflicts) {
  const LabReport report = predicted("bank-conflicts", "h200");
  EXPECT_EQ(report.rows[0].wavefronts, 32);
  EXPECT_EQ(report.rows[1].wavefronts, 1);
  EXPECT_EQ(report.rows[2].wavefronts, 2);
  EXPECT_GT(rate(report, "pad 1"), rate(report, "pad 0"));
}

TEST(Lab, EachTilingOfAMatmulIsFaster) {
  const LabReport report = predicted("matmul", "h200");
  EXPECT_GT(rate(report, "tile 32"), rate(report, "naive 32"));
  EXPECT_GT(rate(report, "registers 8x8"), 2 * rate(report, "tile 32"));
}

TEST(Lab, ABlockMoreThanAWaveBeginsAnother) {
  const LabReport report = predicted("waves", "h200");
  EXPECT_LT(rate(report, "1.01 waves"), 0.9 * rate(report, "1.00 waves"));
}

TEST(Lab, TellsTheRatioThatMatters) {
  EXPECT_THAT(lab_ratio(predicted("ilp", "h200")),
              testing::HasSubstr("predicted: three registers, 1 chain takes"));
}

// Where something is measured its times stand beside the predictions.
class FakeMeasurer : public Measurer {
 public:
  explicit FakeMeasurer(std::vector<std::int64_t>& ballasts) : ballasts_(ballasts) {}
  MeasureResult measure(const MeasureJob& job) override {
    ballasts_.push_back(job.steps[0].dynamic_shared);
    MeasureResult result;
    result.time_ns = 5000;
    return result;
  }
  std::vector<MeasureResult> compare(const CompareJob&) override { return {}; }
  void cancel() override {}

 private:
  std::vector<std::int64_t>& ballasts_;
};

class FakeCompiler : public Compiler {
 public:
  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    CompileResult result;
    result.status = CompileResult::Status::ok;
    for (const std::string& entry : job.entries) {
      EntryFacts facts;
      facts.entry = facts.lowered_name = entry;
      facts.registers = 24;
      result.entries.push_back(facts);
    }
    done(std::move(result));
  }
  void cancel() override {}
  int parallelism() const override { return 1; }
};

TEST(Lab, MeasuresEveryCaseWithItsBallast) {
  std::vector<std::int64_t> ballasts;
  int made = 0;
  FakeCompiler compiler;
  LabBench bench{device_of("h200"), &compiler, nullptr};
  bench.measurer = [&](const Kernel&, CacheMode) {
    ++made;
    return std::make_unique<FakeMeasurer>(ballasts);
  };
  for (const Experiment& experiment : lab_experiments(bench.device)) {
    if (experiment.name != "smem-limit") continue;
    const LabReport report = run_experiment(experiment, bench);
    EXPECT_TRUE(report.measured);
    for (const LabRow& row : report.rows) EXPECT_EQ(row.time_ns, 5000);
  }
  EXPECT_THAT(ballasts,
              testing::ElementsAre(0, 8192, 16384, 32768, 49152, 0, 8192, 16384, 32768, 49152));
  EXPECT_EQ(made, 1) << "one problem is set up once";
}

}  // namespace
}  // namespace tuner
