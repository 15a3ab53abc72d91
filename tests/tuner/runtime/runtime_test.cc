// The public interface, as far as it goes without a GPU.
#include "tuner/runtime/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "tests/tuner/os/variable.h"
#include "tests/tuner/select/copy_results.h"
#include "tuner/store/capture.h"

namespace tuner::runtime {
namespace {

using testing::HasSubstr;

template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return {Error::Kind::failed, ""};
}

class RuntimeTest : public testing::Test, protected CopyResults {
 protected:
  Options options() {
    Options options;
    options.configs = {configs()};
    options.profile = "h200";
    options.warn = [this](const std::string& warning) {
      const std::lock_guard lock(mutex_);
      warnings_.push_back(warning);
    };
    return options;
  }

  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(RuntimeTest, ChoosesOnceForAProblemAndAgainForAnother) {
  store(h200_, tuned(1 << 20, h200_, 512));
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Problem million = copy.problem().set("n", 1 << 20);
  const Selection& exact = copy.select(million);
  EXPECT_EQ(exact.rung, Rung::exact);
  EXPECT_THAT(exact.config, HasSubstr("block512"));
  EXPECT_EQ(&copy.select(million), &exact);
  EXPECT_EQ(&copy.select(copy.problem().set("n", 1 << 20)), &exact);
  EXPECT_EQ(&runtime.kernel("copy").select(million), &exact);
  EXPECT_EQ(copy.select(copy.problem().set("n", (1 << 20) + 1)).rung, Rung::nearest_size);
  EXPECT_EQ(copy.select(copy.problem().set("n", 1 << 20).set("dtype", "f64")).rung, Rung::fallback);
}

TEST_F(RuntimeTest, SeesNewResultsOnceToldTo) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Problem problem = copy.problem().set("n", 4096);
  const Selection& before = copy.select(problem);
  store(h200_, tuned(4096, h200_, 512));
  EXPECT_EQ(copy.select(problem).rung, Rung::fallback);
  runtime.reload();
  EXPECT_EQ(copy.select(problem).rung, Rung::exact);
  EXPECT_EQ(before.rung, Rung::fallback);  // still there
}

TEST_F(RuntimeTest, ManyThreadsGetOneChoiceForAProblem) {
  store(h200_, tuned(1 << 20, h200_, 512));
  Runtime runtime(options());
  constexpr int kThreads = 8;
  constexpr int kProblems = 20;
  std::vector<std::set<const Selection*>> seen(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        const Kernel copy = runtime.kernel("copy");
        for (int round = 0; round < 50; ++round) {
          for (int i = 0; i < kProblems; ++i) {
            const int n = (1 << 20) + (i + thread) % kProblems;
            const Selection& selection = copy.select(copy.problem().set("n", n));
            seen[static_cast<std::size_t>(thread)].insert(&selection);
          }
        }
      });
    }
  }
  EXPECT_EQ(seen[0].size(), static_cast<std::size_t>(kProblems));
  for (const auto& one : seen) EXPECT_EQ(one, seen[0]);
}

TEST_F(RuntimeTest, RefusesWhatTheKernelDoesNotHave) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Error kernel = error_of([&] { runtime.kernel("cpoy"); });
  EXPECT_EQ(kernel.kind(), Error::Kind::bad_input);
  EXPECT_THAT(kernel.what(), HasSubstr("did you mean 'copy'"));
  EXPECT_THAT(error_of([&] { runtime.kernel("cpoy"); }).what(), HasSubstr("cpoy"));  // once more
  EXPECT_THAT(error_of([&] { copy.problem().set("shap", "linear"); }).what(),
              HasSubstr("did you mean 'shape'"));
  EXPECT_THAT(error_of([&] { copy.problem().set("dtype", "f16"); }).what(),
              HasSubstr("one of f32 f64"));
  EXPECT_THAT(error_of([&] { copy.problem().set("n", 2.5); }).what(), HasSubstr("whole number"));
  EXPECT_THAT(error_of([&] { copy.select(copy.problem().set("n", -1)); }).what(),
              HasSubstr("the axis n cannot be -1"));
  const Kernel gather = runtime.kernel("gather");
  EXPECT_THAT(error_of([&] { gather.select(copy.problem()); }).what(), HasSubstr("another kernel"));
}

TEST_F(RuntimeTest, TellsTheBuffersOfAProblem) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const std::vector<Buffer> buffers =
      copy.buffers(copy.problem().set("n", 100).set("dtype", "f64"));
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].name, "in");
  EXPECT_EQ(buffers[0].bytes, 800);
  EXPECT_TRUE(buffers[0].input && !buffers[0].output);
  EXPECT_TRUE(buffers[1].output && !buffers[1].input);
}

TEST_F(RuntimeTest, ForAProfileNothingIsLaunched) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Error error = error_of([&] { copy.prepare(copy.problem().set("n", 4096)); });
  EXPECT_THAT(error.what(), HasSubstr("profile h200"));
  Options wrong = options();
  wrong.profile = "h2000";
  Runtime other(wrong);
  const Kernel another = other.kernel("copy");
  EXPECT_THAT(error_of([&] { another.select(another.problem()); }).what(), HasSubstr("h2000.json"));
}

TEST_F(RuntimeTest, WithoutAGpuItSaysSo) {
  const Variable hidden("CUDA_VISIBLE_DEVICES", "");
  Options without = options();
  without.profile.clear();
  Runtime runtime(without);
  const Kernel copy = runtime.kernel("copy");
  const Error error = error_of([&] { copy.select(copy.problem().set("n", 4096)); });
  EXPECT_EQ(error.kind(), Error::Kind::no_device);
  EXPECT_THAT(error.what(), HasSubstr("NVIDIA driver"));
}

TEST_F(RuntimeTest, WarningsAreToldOnce) {
  folder_.write("configs/copy/broken.json", "{");
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  for (int i = 0; i < 3; ++i) copy.select(copy.problem().set("n", 4096));
  EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr("broken.json")));
}

TEST_F(RuntimeTest, ADataFolderThatIsNoneIsNamed) {
  Options wrong = options();
  wrong.data = "/nowhere/share";
  Runtime runtime(wrong);
  EXPECT_THAT(error_of([&] { runtime.kernel("copy"); }).what(), HasSubstr("/nowhere/share"));
}

TEST_F(RuntimeTest, CapturesDistinctProblemsWithTheirCalls) {
  Options capturing = options();
  capturing.capture = folder_ / "captured.jsonl";
  {
    Runtime runtime(capturing);
    const Kernel copy = runtime.kernel("copy");
    for (int i = 0; i < 5; ++i) copy.select(copy.problem().set("n", 4096));
    copy.select(copy.problem().set("n", 100).set("dtype", "f64"));
    // The first call of each is noted at once: a program may never come to its end.
    EXPECT_EQ(load_captured(capturing.capture).size(), 2U);
  }
  const std::vector<CapturedProblem> captured = load_captured(capturing.capture);
  ASSERT_EQ(captured.size(), 2U);
  EXPECT_EQ(captured[0].kernel, "copy");
  EXPECT_EQ(to_string(captured[0].problem), "shape=linear dtype=f32 n=4096 m=1");
  EXPECT_EQ(captured[0].count, 5);
  EXPECT_EQ(captured[1].count, 1);
}

TEST_F(RuntimeTest, TheEnvironmentNamesTheCaptureAndAFailureIsAWarning) {
  const Variable named("TUNER_CAPTURE", "/nowhere/captured.jsonl");
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  copy.select(copy.problem().set("n", 4096));
  copy.select(copy.problem().set("n", 4097));
  EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr("/nowhere/captured.jsonl")));
}

}  // namespace
}  // namespace tuner::runtime
