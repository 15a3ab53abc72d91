// Each broken kernel costs itself alone, and is told apart.
#include <utility>

#include "expr/error.h"
#include "tests/tuner/worker/gpu_fixture.h"

namespace tuner {
namespace {

using testing::HasSubstr;

struct Fault {
  const char* file;
  const char* entry;
  const char* status;
  const char* reason;
};

constexpr Fault kFaults[] = {
    {"writes_past_end", "writes_past_end", "wrong", "'y': 4 bytes, the first 0 bytes past its end"},
    {"writes_past_end", "writes_before_start", "wrong", "before its start"},
    {"wrong_half", "wrong_half", "wrong", "] is nan, expected"},
    {"wrong_half", "wrong_last", "wrong", "y[1048582] is"},
    {"early_return", "early_return", "wrong", "] is nan, expected"},
    {"nan", "nan_in_it", "wrong", "y[524291] is nan"},
    {"modifies_input", "modifies_input", "wrong", "writes to its input 'x'"},
    {"out_of_bounds", "out_of_bounds", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"endless", "endless", "timeout", "still running after 1000 ms"},
};

class GpuFaults : public GpuTest {};

// One worker through all of them, so that each would spoil what comes after it.
TEST_F(GpuFaults, CostOneConfigurationEach) {
  const auto worker = make_worker(setup());
  ASSERT_EQ(outcome(worker->measure(good())), "ok");
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.entry);
    const MeasureResult result = worker->measure(job(fault.file, fault.entry));
    EXPECT_EQ(result.status, fault.status);
    EXPECT_THAT(result.reason, HasSubstr(fault.reason));
    EXPECT_EQ(result.id, fault.entry);
    EXPECT_FALSE(result.verified);
    EXPECT_EQ(result.samples, 0);
    const MeasureResult after = worker->measure(good());
    EXPECT_EQ(outcome(after), "ok");
    EXPECT_TRUE(after.verified);
  }
}

class GpuRefusals : public GpuTest {};

TEST_F(GpuRefusals, NameTheLimit) {
  const auto worker = make_worker(setup());
  std::vector<std::pair<MeasureJob, std::string>> refused;
  const auto add = [&](MeasureJob job, const std::string& reason) {
    refused.emplace_back(std::move(job), reason);
  };
  add(job("too_many_threads", "too_many_threads"), "a block of 256 threads");
  MeasureJob huge_block = good();
  huge_block.steps[0].block = {2048, 1, 1};
  add(huge_block, "a block of 2048 threads");
  MeasureJob no_grid = good();
  no_grid.steps[0].grid = {0, 1, 1};
  add(no_grid, "out of range");
  MeasureJob tall_grid = good();
  tall_grid.steps[0].grid = {1, 65536, 1};
  add(tall_grid, "CUDA_ERROR_INVALID_VALUE");
  MeasureJob shared = good();
  shared.steps[0].dynamic_shared = 300000;
  add(shared, "300000 bytes of dynamic");
  MeasureJob missing = good();
  missing.steps[0].lowered_name = "no_such_kernel";
  add(missing, "no_such_kernel");
  MeasureJob nothing = good();
  nothing.steps.clear();
  add(nothing, "nothing to launch");
  MeasureJob no_cubin = good();
  no_cubin.cubin = "/there/is/no/such.cubin";
  add(no_cubin, "such.cubin");
  MeasureJob no_cubin_at_all = good();
  no_cubin_at_all.cubin = std::string(FAULTS_FOLDER) + "/good.cu";
  add(no_cubin_at_all, "cuModuleLoadData");
  MeasureJob workspace = good();
  workspace.workspaces = {{"w", device().profile.memory_bytes, "never"}};
  add(workspace, "CUDA_ERROR_OUT_OF_MEMORY");
  workspace.workspaces[0].bytes *= 2;
  add(workspace, "workspace 'w'");
  MeasureJob cooperative = job("good", "strided");
  cooperative.steps[0].cooperative = true;  // more blocks than fit at once
  add(cooperative, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  for (const auto& [job, reason] : refused) {
    SCOPED_TRACE(reason);
    const MeasureResult result = worker->measure(job);
    EXPECT_EQ(result.status, "launch_error");
    EXPECT_THAT(result.reason, HasSubstr(reason));
  }
  EXPECT_EQ(outcome(worker->measure(good())), "ok");
}

TEST_F(GpuRefusals, AProblemThatCannotBeSetUp) {
  const auto message = [](const MeasureSetup& broken) -> std::string {
    try {
      return make_worker(broken)->measure(good()).status;
    } catch (const TunerError& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::ended_early);
      return error.what();
    }
  };
  MeasureSetup huge = setup();
  huge.buffers[0].count = std::int64_t{1} << 60;
  EXPECT_THAT(message(huge), HasSubstr("device memory"));
  MeasureSetup unknown = setup();
  unknown.buffers[0].init.kind = "gaussian";
  EXPECT_THAT(message(unknown), HasSubstr("gaussian"));
  EXPECT_THAT(message(setup("reference_crash")), HasSubstr("reference"));
  MeasureSetup elsewhere = setup();
  elsewhere.device = 1000;
  EXPECT_THAT(message(elsewhere), HasSubstr("no GPU 1000"));
}

}  // namespace
}  // namespace tuner
