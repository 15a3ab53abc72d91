#include <atomic>
#include <future>
#include <thread>

#include "expr/error.h"
#include "tests/tuner/compile/pool_fixture.h"

namespace tuner {
namespace {

using Status = CompileResult::Status;
using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kSound = "extern \"C\" __global__ void k(int* p) { *p = 1; }";

class CompilerPoolFailure : public PoolTest {};

TEST_F(CompilerPoolFailure, ReasonIsTheFirstErrorWithItsLine) {
  struct Case {
    const char* source;
    const char* entry;
    const char* reason;
  };
  const std::vector<Case> cases{
      {"\nextern \"C\" __global__ void k(int* p) { *p = undefined_name; }", "k",
       "kernel.cu(2): error: identifier \"undefined_name\" is undefined"},
      {"#include \"missing.h\"", "k",
       "kernel.cu(1): catastrophic error: cannot open source file \"missing.h\""},
      {kSound, "other<3>",
       "in an entry's or a symbol's name: error: identifier \"other\" is undefined"},
      {"extern \"C\" __global__ void k() { asm(\"no_such_instruction;\"); }", "k",
       "Not a name of any known instruction: 'no_such_instruction'"},
      {"__device__ int k() { return 1; } __global__ void other() {}", "k",
       "address of a non-__global__ function"},
  };
  const auto pool = make_pool();
  for (const Case& item : cases) {
    const CompileResult result = compile_and_wait(*pool, job(item.source, {item.entry}));
    EXPECT_EQ(result.status, Status::error);
    EXPECT_THAT(result.reason, HasSubstr(item.reason));
    EXPECT_TRUE(result.cubin.empty());
  }
}

TEST_F(CompilerPoolFailure, BadRequestsAreErrorsOfTheJob) {
  const auto pool = make_pool();
  CompileJob old = job(kSound, {"k"});
  old.architecture = 20;
  EXPECT_THAT(compile_and_wait(*pool, old).reason, HasSubstr("cannot compile for sm_20"));
  CompileJob unknown = job(kSound, {"k"});
  unknown.options = {"--no-such-option"};
  EXPECT_THAT(compile_and_wait(*pool, unknown).reason, HasSubstr("--no-such-option"));
  CompileJob missing = job(kSound, {"k"});
  missing.source = folder_ / "missing.cu";
  EXPECT_THAT(compile_and_wait(*pool, missing).reason, HasSubstr("missing.cu: No such file"));
}

TEST_F(CompilerPoolFailure, EndlessCompileIsKilledAtItsDeadline) {
  const auto pool = make_pool();
  CompileJob endless = endless_job();
  endless.deadline = 1000ms;
  const auto begin = std::chrono::steady_clock::now();
  const CompileResult result = compile_and_wait(*pool, endless);
  EXPECT_EQ(result.status, Status::timeout);
  EXPECT_EQ(result.reason, "the compiler took longer than 1 s");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1000ms);
  EXPECT_COMPILED(compile_and_wait(*pool, job(kSound, {"k"})));
}

TEST_F(CompilerPoolFailure, CrashCostsOneJob) {
  const auto pool = make_pool({"crash-on-request"});
  EXPECT_COMPILED(compile_and_wait(*pool, job(kSound, {"k"})));
  const CompileResult result = compile_and_wait(*pool, job("// CRASH", {"k"}));
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.reason, "the compiler process died: killed by signal 9 (Killed)");
  EXPECT_COMPILED(compile_and_wait(*pool, job(std::string(kSound) + "\n", {"k"})));
}

TEST_F(CompilerPoolFailure, ProcessThatDoesNotStartCostsOneJob) {
  const auto pool = make_pool({"fail-first", folder_ / "marker"});
  const CompileResult result = compile_and_wait(*pool, job(kSound, {"k"}));
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.reason, "the compiler process did not start: exit code 3");
  EXPECT_COMPILED(compile_and_wait(*pool, job(kSound, {"k"})));
}

TEST_F(CompilerPoolFailure, ExecutableThatIsMissingIsNamed) {
  CompilerPoolOptions options;
  options.cache_folder = folder_ / "cubins";
  options.process_argv = {"/nowhere/tuner"};
  const CompileResult result = compile_and_wait(*make_compiler_pool(options), job(kSound, {"k"}));
  EXPECT_EQ(result.status, Status::error);
  EXPECT_THAT(result.reason, HasSubstr("/nowhere/tuner"));
}

TEST_F(CompilerPoolFailure, CancelEndsWhatRunsAndWhatWaits) {
  const auto pool = make_pool();
  std::vector<std::future<CompileResult>> results;
  for (int i = 0; i < 3; ++i) {
    auto promise = std::make_shared<std::promise<CompileResult>>();
    results.push_back(promise->get_future());
    pool->submit(endless_job(),
                 [promise](CompileResult result) { promise->set_value(std::move(result)); });
  }
  std::this_thread::sleep_for(200ms);  // so that the first is likely to run by now
  pool->cancel();
  for (auto& result : results) EXPECT_EQ(result.get().status, Status::cancelled);
  EXPECT_COMPILED(compile_and_wait(*pool, job(kSound, {"k"})));
}

TEST_F(CompilerPoolFailure, DestructorCancels) {
  std::atomic<int> cancelled = 0;
  auto pool = make_pool({"compile-process"}, 2);
  for (int i = 0; i < 5; ++i) {
    pool->submit(endless_job(), [&](const CompileResult& result) {
      if (result.status == Status::cancelled) ++cancelled;
    });
  }
  pool.reset();
  EXPECT_EQ(cancelled, 5);
}

TEST_F(CompilerPoolFailure, CancelFromManyThreadsIsSafe) {
  std::atomic<int> done = 0;
  const auto pool = make_pool({"compile-process"}, 2);
  for (int i = 0; i < 20; ++i)
    pool->submit(job(kSound, {"k"}), [&](const CompileResult&) { ++done; });
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        pool->cancel();
        std::this_thread::sleep_for(5ms);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_COMPILED(compile_and_wait(*pool, job(kSound, {"k"})));
  EXPECT_GE(done, 19);  // the last may still be on its way
}

}  // namespace
}  // namespace tuner
