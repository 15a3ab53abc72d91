// Sound kernels of all kinds are verified and timed.
#include <cmath>

#include "tests/tuner/worker/gpu_fixture.h"

namespace tuner {
namespace {

using testing::HasSubstr;
using Kind = LaunchArgument::Kind;

class GpuMeasure : public GpuTest {
 protected:
  static void expect_sound(const MeasureResult& result) {
    EXPECT_EQ(outcome(result), "ok");
    EXPECT_TRUE(result.verified);
    EXPECT_LE(result.max_error, 1);
    EXPECT_GE(result.samples, 3);
    EXPECT_EQ(result.samples_ns.size(), static_cast<std::size_t>(result.samples));
    EXPECT_GT(result.time_ns, 0);
    EXPECT_LE(result.low_ns, result.time_ns);
    EXPECT_GE(result.high_ns, result.time_ns);
    EXPECT_GT(result.gpu_ms, 0);
  }
};

TEST_F(GpuMeasure, TimesAColdKernel) {
  const MeasureResult result = make_worker(setup())->measure(good());
  expect_sound(result);
  EXPECT_GT(result.launches_per_sample, 1);
  // 4 MB cannot be read from memory faster than its bus allows.
  const double least_ns = 4.0 * kCount / device().profile.dram_peak_gbps;
  if (device().profile.dram_peak_gbps > 0) {
    EXPECT_GT(result.time_ns, least_ns);
  }
  EXPECT_LT(result.time_ns, 1e6);
}

TEST_F(GpuMeasure, TimesAWarmKernel) {
  MeasureSetup warm = setup();
  warm.cache = CacheMode::warm;
  expect_sound(make_worker(warm)->measure(good()));
}

TEST_F(GpuMeasure, FlushesForASmallProblem) {
  MeasureSetup small = setup();
  MeasureJob one = good();
  for (BufferSpec& buffer : small.buffers) buffer.count = 1000;
  for (LaunchStep* step : {&small.verification.reference[0], &one.steps[0]}) {
    step->grid = {4, 1, 1};
    step->arguments[2] = scalar("n", "i64", std::int64_t{1000});
  }
  const MeasureResult result = make_worker(small)->measure(one);
  expect_sound(result);
  EXPECT_EQ(result.launches_per_sample, 1);
}

TEST_F(GpuMeasure, RestoresWhatIsUpdatedInPlace) {
  const auto worker = make_worker(setup("reference_inout", true));
  for (int time = 0; time < 2; ++time) {
    const MeasureResult result = worker->measure(job("inout", "inout"));
    expect_sound(result);
    EXPECT_EQ(result.launches_per_sample, 1);
  }
  EXPECT_EQ(worker->measure(good()).status, "wrong");
}

TEST_F(GpuMeasure, AllowsLargeSharedMemory) {
  MeasureJob big = job("big_shared", "big_shared");
  big.steps[0].dynamic_shared = 100 * 1024;
  big.steps[0].arguments.push_back(scalar("floats", "i32", std::int64_t{100 * 256}));
  const MeasureResult result = make_worker(setup())->measure(big);
  if (device().profile.shared_per_block_optin >= big.steps[0].dynamic_shared) {
    expect_sound(result);
  } else {
    EXPECT_EQ(result.status, "launch_error");
    EXPECT_THAT(result.reason, HasSubstr("of dynamic"));
  }
}

TEST_F(GpuMeasure, AbandonsWhatIsFarBehind) {
  const auto worker = make_worker(setup());
  const double incumbent = worker->measure(good()).time_ns;
  MeasureJob slow = job("good", "slow");
  slow.incumbent_ns = incumbent;
  const MeasureResult abandoned = worker->measure(slow);
  EXPECT_EQ(outcome(abandoned), "ok");
  EXPECT_TRUE(abandoned.abandoned);
  EXPECT_EQ(abandoned.samples, 2);
  EXPECT_GT(abandoned.time_ns, 2 * incumbent);
  slow.may_abandon = false;
  const MeasureResult kept = worker->measure(slow);
  EXPECT_FALSE(kept.abandoned);
  EXPECT_GE(kept.samples, 5);
}

TEST_F(GpuMeasure, LaunchesClustersAndCooperatively) {
  const auto worker = make_worker(setup());
  MeasureJob cooperative = job("good", "strided");
  cooperative.steps[0].cooperative = true;
  cooperative.steps[0].grid = {device().profile.sm_count, 1, 1};
  expect_sound(worker->measure(cooperative));
  MeasureJob clusters = job("good", "strided");
  clusters.steps[0].grid = {64, 1, 1};
  clusters.steps[0].cluster = {4, 1, 1};
  const MeasureResult result = worker->measure(clusters);
  if (device().profile.max_cluster >= 4) {
    expect_sound(result);
  } else {
    EXPECT_EQ(result.status, "launch_error");
  }
}

// y[0] counts the positive elements of x, in two launches over a workspace.
class GpuSteps : public GpuMeasure {
 protected:
  static MeasureSetup count_setup() {
    MeasureSetup result = setup("reference_count");
    result.buffers[1] = buffer("y", "i32", 1, false, true);
    LaunchStep zero;
    zero.kind = LaunchStep::Kind::memset;
    zero.memset_target = "y";
    zero.memset_bytes = 8;
    std::vector<LaunchStep>& steps = result.verification.reference;
    steps[0].arguments.pop_back();
    steps.insert(steps.begin(), zero);
    result.verification.relative = result.verification.absolute = 0;
    return result;
  }
  static MeasureJob count_job(const std::string& init) {
    MeasureJob result = job("counter", "count_positive");
    result.workspaces = {{"counter", 4, init}};
    result.steps[0].arguments = {argument(Kind::buffer, "x"), argument(Kind::workspace, "counter"),
                                 scalar("n", "i64", kCount)};
    LaunchStep publish;
    publish.lowered_name = "publish";
    publish.block = {32, 1, 1};
    publish.arguments = {argument(Kind::workspace, "counter"), argument(Kind::buffer, "y")};
    result.steps.push_back(publish);
    return result;
  }
};

TEST_F(GpuSteps, ZeroTheirWorkspaceEachRun) {
  const auto worker = make_worker(count_setup());
  expect_sound(worker->measure(count_job("each_run")));
  // Right the first time only.
  const MeasureResult once = worker->measure(count_job("once"));
  EXPECT_EQ(once.status, "wrong");
  EXPECT_THAT(once.reason, HasSubstr("after many runs"));
  EXPECT_EQ(worker->measure(count_job("never")).status, "wrong");
}

TEST_F(GpuSteps, MayHoldAMemset) {
  MeasureJob zeroing = count_job("never");
  LaunchStep zero;
  zero.kind = LaunchStep::Kind::memset;
  zero.memset_target = "counter";
  zero.memset_bytes = 4;
  zeroing.steps.insert(zeroing.steps.begin(), zero);
  const auto worker = make_worker(count_setup());
  expect_sound(worker->measure(zeroing));
  zeroing.steps[0].memset_bytes = 5;
  EXPECT_EQ(worker->measure(zeroing).status, "launch_error");
}

TEST_F(GpuMeasure, FillsSymbols) {
  MeasureSetup with_factors = setup("reference_factors");
  with_factors.buffers.push_back(buffer("factors", "f32", 4, true, false));
  LaunchStep& reference = with_factors.verification.reference[0];
  reference.arguments = {argument(Kind::buffer, "x"), argument(Kind::buffer, "factors"),
                         argument(Kind::reference_output, "y"), scalar("n", "i64", kCount)};
  MeasureJob scale = job("factors", "scale_by_factors");
  scale.steps[0].arguments.pop_back();
  const auto worker = make_worker(with_factors);
  EXPECT_EQ(worker->measure(scale).status, "wrong");  // all factors are zero
  scale.symbols = {{symbol("factors"), "factors"}};
  expect_sound(worker->measure(scale));
  scale.symbols[0].buffer = "x";
  EXPECT_EQ(worker->measure(scale).status, "launch_error");
}

TEST_F(GpuMeasure, PassesTensorMaps) {
  if (device().profile.compute_capability < 90) GTEST_SKIP() << "needs compute capability 9.0";
  constexpr std::int64_t kWhole = 256 * 4000;
  MeasureSetup copy = setup();
  for (BufferSpec& buffer : copy.buffers) buffer.count = kWhole;
  LaunchStep& reference = copy.verification.reference[0];
  reference.arguments[2] = scalar("n", "i64", kWhole);
  reference.arguments[3] = scalar("a", "f32", 1.0);
  MeasureJob tensor = job("tensor_map", "tensor_copy");
  LaunchArgument map = argument(Kind::tensor_map, "map");
  map.tensor_map = {"x", {kWhole}, {}, {256}, "none"};
  tensor.steps[0].grid = {4000, 1, 1};
  tensor.steps[0].arguments = {map, argument(Kind::buffer, "y")};
  expect_sound(make_worker(copy)->measure(tensor));
}

TEST_F(GpuMeasure, ChecksElementsOnTheHost) {
  MeasureSetup checked = setup();
  checked.verification.reference_cubin.clear();
  checked.verification.reference.clear();
  ElementCheck check;
  check.output = "y";
  check.expected = "a * xi";
  check.loads = {{"xi", "x", "i"}};
  check.scalars = {{"a", kFactor}};
  checked.verification.checks = {check};
  const auto worker = make_worker(checked);
  expect_sound(worker->measure(good()));
  EXPECT_EQ(worker->measure(job("wrong_half", "wrong_half")).status, "wrong");
  EXPECT_EQ(worker->measure(job("wrong_half", "wrong_last")).status, "wrong");
}

TEST_F(GpuMeasure, JudgesByTheFrobeniusError) {
  MeasureSetup loose = setup();
  loose.verification.relative = loose.verification.absolute = 0;
  loose.verification.frobenius = 1e-2;
  const auto worker = make_worker(loose);
  const MeasureResult off = worker->measure(job("wrong_half", "wrong_last"));
  EXPECT_EQ(outcome(off), "ok");
  // One error of 1 against kCount elements of mean square kFactor^2 / 3.
  EXPECT_NEAR(off.frobenius_error, 1 / std::sqrt(kCount * kFactor * kFactor / 3), 1e-5);
  EXPECT_EQ(worker->measure(job("early_return", "early_return")).status, "wrong");
}

TEST_F(GpuMeasure, ChecksLargeOutputsByPieces) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 25) + 3;  // 128 MiB
  MeasureSetup large = setup();
  MeasureJob one = good();
  for (BufferSpec& buffer : large.buffers) buffer.count = kLarge;
  for (LaunchStep* step : {&large.verification.reference[0], &one.steps[0]}) {
    step->grid = {(kLarge + 255) / 256, 1, 1};
    step->arguments[2] = scalar("n", "i64", kLarge);
  }
  const auto worker = make_worker(large);
  expect_sound(worker->measure(one));
  expect_sound(worker->measure(one));
  MeasureJob last = one;
  last.cubin = cubin("wrong_half");
  last.steps[0].lowered_name = "wrong_last";
  EXPECT_EQ(worker->measure(last).status, "wrong");
  MeasureJob half = last;
  half.steps[0].lowered_name = "wrong_half";
  half.full_check = true;
  const MeasureResult result = worker->measure(half);
  EXPECT_EQ(result.status, "wrong");
  EXPECT_THAT(result.reason, HasSubstr("16777218 of 33554435"));  // n - n / 2
}

TEST_F(GpuMeasure, ListsTheDevice) {
  EXPECT_FALSE(device().profile.name.empty());
  EXPECT_FALSE(device().profile.id.empty());
  EXPECT_GE(device().profile.compute_capability, 70);
  EXPECT_GT(device().profile.sm_count, 0);
  EXPECT_GT(device().profile.l2_bytes, 0);
  EXPECT_GT(device().profile.memory_bytes, 0);
  EXPECT_GT(device().free_bytes, 0);
  EXPECT_GE(device().profile.shared_per_block_optin, device().profile.shared_per_block);
  EXPECT_THAT(device().uuid, testing::MatchesRegex("GPU-[0-9a-f-]+"));
  EXPECT_GE(device().driver_cuda_version, 12000);
}

}  // namespace
}  // namespace tuner
