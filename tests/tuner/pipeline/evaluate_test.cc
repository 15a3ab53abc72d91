// The model is judged on recordings made up from the model itself.
#include "tuner/pipeline/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "models/estimate.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

class EvaluateTest : public testing::Test {
 protected:
  EvaluateTest()
      : description_(find_kernel("copy")),
        device_(models::load_device_profile(data_folder() / "configs/devices/h200.json")),
        kernel_(description_, resolve_problem(description_, Given{{"n", "2^24"}}), device_) {
    recording_.kernel = "copy";
    recording_.problem = kernel_.problem().axes;
    recording_.cache = "cold";
    recording_.device = device_;
    for (const search::Parameter& parameter : kernel_.space().parameters()) {
      recording_.parameters.push_back({parameter.name, parameter.values});
    }
  }

  // Every seventh configuration, measured as the model says, or upside down.
  void record(bool upside_down) {
    std::size_t count = 0;
    kernel_.space().for_each([&](const search::Config& config) {
      if (count++ % 7 != 0) return true;
      const double predicted = models::estimate(device_, kernel_.shape(config)).time_ns;
      RecordedTrial trial;
      for (std::size_t i = 0; i < kernel_.space().parameters().size(); ++i) {
        trial.values.push_back(kernel_.space().value(config, i));
      }
      trial.time_ns = upside_down ? 1e12 / predicted : 2 * predicted;
      trial.registers = 32;
      recording_.trials.push_back(trial);
      return true;
    });
  }

  using Given = std::vector<std::pair<std::string, std::string>>;
  KernelDescription description_;
  models::DeviceProfile device_;
  Kernel kernel_;
  Recording recording_;
};

TEST_F(EvaluateTest, ThePerfectModelIsPerfect) {
  record(false);
  const Evaluation evaluation = evaluate(description_, recording_, {});
  EXPECT_EQ(evaluation.quality.trials, recording_.trials.size());
  EXPECT_NEAR(evaluation.quality.spearman, 1, 1e-12);
  EXPECT_NEAR(evaluation.quality.kendall, 1, 1e-12);
  EXPECT_EQ(evaluation.quality.top1, 1);
  EXPECT_EQ(evaluation.left_out, 0U);
  EXPECT_TRUE(evaluation.without.empty());
}

TEST_F(EvaluateTest, ThePerfectlyWrongOneIsPerfectlyWrong) {
  record(true);
  EXPECT_NEAR(evaluate(description_, recording_, {}).quality.spearman, -1, 1e-12);
}

// A copy is bound by DRAM here: without that the order is another one, and worse.
TEST_F(EvaluateTest, AnAblationTellsWhatATermIsWorth) {
  record(false);
  const Evaluation evaluation = evaluate(description_, recording_, {false, true});
  bool has_dram = false;
  for (const auto& [pipe, quality] : evaluation.without) {
    has_dram = has_dram || pipe == "dram";
    EXPECT_LE(quality.spearman, 1);
    EXPECT_NE(pipe, "barrier") << "a copy has none";
    if (pipe == "latency") {
      EXPECT_LT(quality.spearman, evaluation.quality.spearman);
    }
  }
  EXPECT_TRUE(has_dram);
}

TEST_F(EvaluateTest, LeavesOutWhatTheSpaceNoLongerHolds) {
  record(false);
  RecordedTrial impossible = recording_.trials.front();
  for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
    if (recording_.parameters[i].name == "walk") impossible.values[i] = std::string("rows");
  }
  recording_.trials.push_back(impossible);
  EXPECT_EQ(evaluate(description_, recording_, {}).left_out, 1U);
}

TEST_F(EvaluateTest, RefusesAnotherKernelsRecording) {
  record(false);
  EXPECT_THROW(evaluate(find_kernel("transpose"), recording_, {}), TunerError);
  recording_.parameters[0].name = "colour";
  EXPECT_THROW(evaluate(description_, recording_, {}), TunerError);
}

// The last record of a configuration counts; what was given up has no time.
TEST_F(EvaluateTest, TakesAJournalForARecording) {
  JournalContent journal;
  journal.header.kernel = "copy";
  journal.header.problem = kernel_.problem().axes;
  journal.header.cache = "warm";
  for (const search::Parameter& parameter : kernel_.space().parameters())
    journal.header.parameters.push_back(parameter.name);
  JournalTrial trial;
  for (std::size_t i = 0; i < kernel_.space().parameters().size(); ++i) {
    trial.config.emplace_back(kernel_.space().parameters()[i].name,
                              kernel_.space().value(kernel_.space().default_config(), i));
  }
  trial.time_ns = 100;
  journal.trials.push_back(trial);
  trial.time_ns = 90;
  trial.registers = 20;
  journal.trials.push_back(trial);
  trial.config.front().second = std::string("bulk");
  trial.abandoned = true;
  journal.trials.push_back(trial);

  const Recording recording = as_recording(journal, device_);
  EXPECT_EQ(recording.cache, "warm");
  EXPECT_EQ(recording.device.name, device_.name);
  ASSERT_EQ(recording.trials.size(), 1U);
  EXPECT_EQ(recording.trials[0].time_ns, 90);
  EXPECT_EQ(recording.trials[0].registers, 20);
  ASSERT_EQ(recording.parameters.size(), recording.trials[0].values.size());
  EXPECT_EQ(evaluate(description_, recording, {}).quality.trials, 1U);
}

}  // namespace
}  // namespace tuner
