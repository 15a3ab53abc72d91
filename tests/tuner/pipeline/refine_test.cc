#include "tuner/pipeline/refine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/estimate.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/evaluate.h"

namespace tuner {
namespace {

// saxpy without its guards, as often a thread as -DITEMS says.
std::string saxpy_ptx(int items) {
  std::string body =
      "ld.param.u64 %rd1, [p1];\nld.param.u64 %rd2, [p2];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd1, %rd1, %rd3;\n"
      "add.s64 %rd2, %rd2, %rd3;\n";
  for (int i = 0; i < items; ++i) {
    body += fmt::format("ld.global.nc.f32 %f{0}, [%rd1+{1}];\n", i, i * 4096);
  }
  for (int i = 0; i < items; ++i)
    body += fmt::format("st.global.f32 [%rd2+{1}], %f{0};\n", i, i * 4096);
  return ".entry saxpy(.param .f32 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n" +
         body + "ret;\n}\n";
}

class FakeCompiler : public Compiler {
 public:
  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    ++submitted_;
    CompileResult result;
    result.status = fails_ ? CompileResult::Status::error : CompileResult::Status::ok;
    for (const std::string& entry : job.entries)
      result.entries.push_back({entry, entry, 32, 0, 0, 0, 0, 0});
    for (const std::string& option : job.options) {
      constexpr std::string_view kItems = "-DITEMS=";
      if (job.keep_ptx && option.starts_with(kItems)) {
        result.ptx = saxpy_ptx(std::stoi(option.substr(kItems.size())));
      }
    }
    done(std::move(result));
  }
  void cancel() override {}
  int parallelism() const override { return 2; }

  std::size_t submitted_ = 0;
  bool fails_ = false;
};

class RefineTest : public ::testing::Test {
 protected:
  static Kernel saxpy(bool bare) {
    KernelDescription description = load_kernel_description(data_folder() / "examples/saxpy");
    if (bare) description.steps.at(0).model = {};
    const std::vector<std::pair<std::string, std::string>> given = {{"n", "2^26"}};
    Problem problem = resolve_problem(description, given);
    return {std::move(description), std::move(problem),
            models::load_device_profile(data_folder() / "configs/devices/h200.json")};
  }
  std::unique_ptr<const Refinement> run(const std::atomic<bool>* interrupted = nullptr) {
    return refine(kernel_, true, 7, compiler_, interrupted, pruned_);
  }

  const Kernel kernel_ = saxpy(true);
  FakeCompiler compiler_;
  Pruned pruned_ = prune(kernel_, true, 7);
};

// As measured as the derived model says.
Recording recorded(const Kernel& kernel) {
  Recording recording;
  recording.kernel = "saxpy";
  recording.problem = kernel.problem().axes;
  recording.cache = "cold";
  recording.device = kernel.device();
  for (const search::Parameter& parameter : kernel.space().parameters())
    recording.parameters.push_back({parameter.name, parameter.values});
  FakeCompiler compiler;
  const std::vector<search::Config> configs = kernel.space().materialize();
  const auto shapes = derived_shapes(kernel, configs, true, compiler);
  for (std::size_t c = 0; c < configs.size(); ++c) {
    RecordedTrial trial;
    for (std::size_t i = 0; i < recording.parameters.size(); ++i)
      trial.values.push_back(kernel.space().value(configs[c], i));
    trial.time_ns = models::estimate(kernel.device(), shapes[c].value()).time_ns;
    recording.trials.push_back(trial);
  }
  return recording;
}

TEST_F(RefineTest, EvaluateJudgesWhatIsDerived) {
  const Recording recording = recorded(kernel_);
  EvaluateOptions options;
  options.compiler = &compiler_;
  const Evaluation derived = evaluate(kernel_.description(), recording, options);
  EXPECT_EQ(compiler_.submitted_, recording.trials.size());
  EXPECT_NEAR(derived.quality.spearman, 1, 1e-12);
  EXPECT_LT(evaluate(kernel_.description(), recording, {}).quality.spearman, 0.99);
  // Nothing is compiled where a model was written.
  static_cast<void>(evaluate(saxpy(false).description(), recording, options));
  EXPECT_EQ(compiler_.submitted_, recording.trials.size());
  // What does not compile keeps its estimate.
  compiler_.fails_ = true;
  EXPECT_NEAR(evaluate(kernel_.description(), recording, options).quality.spearman,
              evaluate(kernel_.description(), recording, {}).quality.spearman, 1e-12);
}

TEST_F(RefineTest, OnlyKernelsWithoutModelWantIt) {
  EXPECT_TRUE(lacks_model(kernel_.description()));
  EXPECT_FALSE(lacks_model(saxpy(false).description()));
  EXPECT_TRUE(kernel_.build(kernel_.space().default_config()).keep_ptx);
  EXPECT_FALSE(saxpy(false).build(kernel_.space().default_config()).keep_ptx);
}

TEST_F(RefineTest, SmallSpaceIsDerivedAsAWhole) {
  const std::vector<search::Candidate> before = pruned_.candidates;
  ASSERT_LE(before.size(), kRefiningSample);
  const auto refinement = run();
  ASSERT_NE(refinement, nullptr);
  EXPECT_EQ(compiler_.submitted_, before.size());
  EXPECT_EQ(pruned_.derived_words.size(), before.size());
  const auto best = std::min_element(
      pruned_.candidates.begin(), pruned_.candidates.end(),
      [](const auto& a, const auto& b) { return a.predicted_ns < b.predicted_ns; });
  // Its work and occupancy alone do not tell that more loads are in flight.
  EXPECT_EQ(kernel_.space().id(best->config).find("items1"), std::string::npos)
      << kernel_.space().id(best->config);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(pruned_.candidates[i].config, before[i].config);
    EXPECT_EQ(pruned_.candidates[i].predicted_ns,
              refinement->corrected_ns(before[i].config, before[i].predicted_ns));
  }
}

TEST_F(RefineTest, WhereNothingCompilesNothingChanges) {
  compiler_.fails_ = true;
  const double before = pruned_.candidates.front().predicted_ns;
  EXPECT_EQ(run(), nullptr);
  EXPECT_EQ(pruned_.candidates.front().predicted_ns, before);
  EXPECT_TRUE(pruned_.derived_words.empty());
}

TEST_F(RefineTest, InterruptEndsIt) {
  const std::atomic<bool> interrupted = true;
  EXPECT_EQ(run(&interrupted), nullptr);
  EXPECT_EQ(compiler_.submitted_, 0U);
}

// What is learned of some configurations is applied to others.
TEST_F(RefineTest, CorrectsWhatItHasNotSeen) {
  Refinement refinement(kernel_.space());
  const auto factor = [&](const search::Config& config) {
    return std::get<std::int64_t>(kernel_.space().value(config, 1)) >= 4 ? 0.5 : 1.5;  // items
  };
  const auto configs = kernel_.space().materialize();
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (i % 3 != 0) refinement.learn(configs[i], 1e5, 1e5 * factor(configs[i]));
  }
  refinement.fit();
  for (std::size_t i = 0; i < configs.size(); i += 3) {
    EXPECT_NEAR(refinement.corrected_ns(configs[i], 1e5), 1e5 * factor(configs[i]), 3e4);
  }
}

}  // namespace
}  // namespace tuner
