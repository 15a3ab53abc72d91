// The whole search with the compiler and the GPU faked: what the pipeline does with what they
// answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "tuner/os/paths.h"
#include "tuner/pipeline/tune.h"

namespace tuner {
namespace {

class FakeCompiler : public Compiler {
 public:
  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    CompileResult result;
    result.status = CompileResult::Status::ok;
    result.cubin = "fake.cubin";
    result.compile_ms = 1;
    for (const std::string& entry : job.entries)
      result.entries.push_back({entry, entry, 32, 0, 0, 0, 0, 0});
    done(result);
  }
  void cancel() override {}
  int parallelism() const override { return 2; }
};

// Times come from the configuration's id; statuses from a table.
class FakeMeasurer : public Measurer {
 public:
  explicit FakeMeasurer(std::map<std::string, std::string> statuses = {})
      : statuses_(std::move(statuses)) {}

  MeasureResult measure(const MeasureJob& job) override {
    cancelled_ = false;
    std::this_thread::sleep_for(std::exchange(first_takes_, {}));
    MeasureResult result;
    result.id = job.id;
    if (cancelled_) {
      result.status = "launch_error";
      result.reason = "cancelled";
      return result;
    }
    const auto found = statuses_.find(all_fail_ ? "*" : job.id);
    if (found != statuses_.end()) {
      result.status = found->second;
      result.reason = "made up";
      return result;
    }
    measured_.push_back(job.id);
    result.verified = true;
    // Far above any roof, so that nothing is pruned for want of a chance.
    result.time_ns = 1e9 + 1e6 * static_cast<double>(std::hash<std::string>{}(job.id) % 1000);
    result.low_ns = result.time_ns - 0.1;
    result.high_ns = result.time_ns + 0.1;
    if (interrupt_ != nullptr) *interrupt_ = true;
    return result;
  }
  std::vector<MeasureResult> compare(const CompareJob& compare_job) override {
    std::vector<MeasureResult> results;
    for (const MeasureJob& job : compare_job.jobs) {
      compared_.insert(job.id);
      results.push_back(measure(job));
    }
    return results;
  }
  void cancel() override { cancelled_ = true; }

  bool all_fail_ = false;
  std::chrono::milliseconds first_takes_{0};
  std::atomic<bool>* interrupt_ = nullptr;
  std::set<std::string> compared_;
  std::vector<std::string> measured_;  // ok ones, in order; compare()'s too

 private:
  std::atomic<bool> cancelled_ = false;
  std::map<std::string, std::string> statuses_;
};

class SearchTest : public ::testing::Test {
 protected:
  static Kernel saxpy() {
    const KernelDescription description = load_kernel_description(data_folder() / "examples/saxpy");
    return Kernel(description, resolve_problem(description, {}),
                  models::load_device_profile(data_folder() / "configs/devices/h200.json"));
  }
  TuneOutcome run(FakeMeasurer& measurer, TuneOptions options = {}) {
    Measurer* const measurers[] = {&measurer};
    SearchObserver observer;
    FakeCompiler compiler;
    return tune(kernel_, options, compiler, measurers, observer);
  }
  std::string id(std::size_t i) const {
    return kernel_.space().id(kernel_.space().materialize()[i]);
  }

  Kernel kernel_ = saxpy();
};

TEST_F(SearchTest, MeasuresTheWholeSpaceAndTheFastestWins) {
  FakeMeasurer measurer;
  const TuneOutcome outcome = run(measurer);
  EXPECT_EQ(outcome.search.measured, kernel_.space().count());
  ASSERT_TRUE(outcome.verdict.winner);
  for (const Finalist& finalist : outcome.finalists) {
    ASSERT_EQ(finalist.compiled.size(), 1U);
    EXPECT_EQ(finalist.compiled[0].registers, 32);
    EXPECT_LE(outcome.finalists[*outcome.verdict.winner].result.low_ns, finalist.result.high_ns);
  }
  EXPECT_TRUE(measurer.compared_.contains(kernel_.space().id(kernel_.space().default_config())));
}

TEST_F(SearchTest, FailuresCostTheirOwnTrialOnly) {
  FakeMeasurer measurer({{id(0), "crash"}, {id(1), "timeout"}, {id(2), "wrong"}});
  const TuneOutcome outcome = run(measurer);
  EXPECT_EQ(outcome.search.measured, kernel_.space().count());
  const std::map<std::string, std::size_t> expected = {{"crash", 1}, {"timeout", 1}, {"wrong", 1}};
  EXPECT_EQ(outcome.search.failures, expected);
  EXPECT_TRUE(outcome.verdict.winner);
}

TEST_F(SearchTest, WhereAllFailThereIsNoWinner) {
  FakeMeasurer measurer(std::map<std::string, std::string>{{"*", "launch_error"}});
  measurer.all_fail_ = true;
  const TuneOutcome outcome = run(measurer);
  EXPECT_FALSE(outcome.verdict.winner);
  EXPECT_EQ(outcome.search.failures.at("launch_error"), outcome.search.measured);
}

TEST_F(SearchTest, HonoursTheBudget) {
  FakeMeasurer measurer;
  TuneOptions options;
  options.limits.budget = 5;
  EXPECT_EQ(run(measurer, options).search.measured, 5u);
}

// The first of these takes longer than all the time there is, as a large problem's setup may, and
// than the search waits between two looks at the clock.
TEST_F(SearchTest, TheTimeLimitWaitsForSomethingMeasured) {
  FakeMeasurer measurer;
  measurer.first_takes_ = std::chrono::milliseconds(250);
  TuneOptions options;
  options.limits.time = std::chrono::milliseconds(1);
  const TuneOutcome outcome = run(measurer, options);
  EXPECT_TRUE(outcome.verdict.winner);
  EXPECT_LT(outcome.search.measured, kernel_.space().count());
}

TEST_F(SearchTest, TheTimeLimitHoldsWhereAllFail) {
  FakeMeasurer measurer(std::map<std::string, std::string>{{"*", "wrong"}});
  measurer.all_fail_ = true;
  measurer.first_takes_ = std::chrono::milliseconds(250);
  TuneOptions options;
  options.limits.time = std::chrono::milliseconds(1);
  const TuneOutcome outcome = run(measurer, options);
  EXPECT_FALSE(outcome.verdict.winner);
  EXPECT_LT(outcome.search.measured, kernel_.space().count());
}

TEST_F(SearchTest, KnownTrialsAreNotMeasuredAgainAndMayWin) {
  FakeMeasurer measurer;
  TuneOptions options;
  TrialRecord known;
  known.trial.config = kernel_.space().materialize()[3];
  known.trial.status = search::Status::ok;
  known.trial.time_ns = 1e8;
  options.plan.known = {known};
  options.limits.budget = 3;
  const TuneOutcome outcome = run(measurer, options);
  EXPECT_EQ(outcome.search.measured, 3u);
  EXPECT_EQ(
      std::count(measurer.measured_.begin(),
                 measurer.measured_.end() - static_cast<std::ptrdiff_t>(outcome.finalists.size()),
                 id(3)),
      0);
  EXPECT_TRUE(measurer.compared_.contains(id(3)));
}

TEST_F(SearchTest, TriesTheFirstOnesFirst) {
  FakeMeasurer measurer;
  TuneOptions options;
  options.plan.first = {kernel_.space().materialize()[7]};
  run(measurer, options);
  EXPECT_EQ(measurer.measured_.front(), id(7));
}

TEST_F(SearchTest, EndsWhenItsPatienceIsOver) {
  FakeMeasurer measurer;
  TuneOptions options;
  TrialRecord known;  // far better than anything that is to come
  known.trial.config = kernel_.space().materialize()[0];
  known.trial.status = search::Status::ok;
  known.trial.time_ns = 1e8;
  options.plan.known = {known};
  options.limits.patience = 4;
  const TuneOutcome outcome = run(measurer, options);
  EXPECT_TRUE(outcome.search.converged);
  EXPECT_LT(outcome.search.measured, kernel_.space().count());
}

TEST_F(SearchTest, AnInterruptKeepsWhatWasMeasured) {
  FakeMeasurer measurer;
  std::atomic<bool> interrupted{false};
  measurer.interrupt_ = &interrupted;
  TuneOptions options;
  options.limits.interrupted = &interrupted;
  const TuneOutcome outcome = run(measurer, options);
  EXPECT_TRUE(outcome.search.interrupted);
  EXPECT_LT(outcome.search.measured, kernel_.space().count());
  EXPECT_TRUE(outcome.verdict.winner);
}

}  // namespace
}  // namespace tuner
