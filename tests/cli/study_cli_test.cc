// tuner study and lab without a GPU: everything is predicted, and says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(StudyCommand, PredictsWithoutAGpu) {
  const Ran ran = run_tuner({"study", "fma_chain", "--device", "h200", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  EXPECT_EQ(json.at("measured"), false);
  EXPECT_EQ(json.at("ilp_parameter"), "chains");
  EXPECT_TRUE(json.at("measured_summary").is_null());
  for (const auto& point : json.at("points")) {
    EXPECT_TRUE(point.at("time_ms").is_null());
    EXPECT_GT(point.at("predicted_ms"), 0);
  }
}

TEST(StudyCommand, SaysThatNothingWasMeasured) {
  const Ran ran = run_tuner({"study", "fma_chain", "--device", "t4"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("PREDICTED; nothing was measured"));
}

TEST(StudyCommand, PutsNothingButDataOnStandardOutput) {
  const std::vector<std::string> study = {"study", "copy", "--device", "h200"};
  std::vector<std::string> csv = study, markdown = study;
  csv.insert(csv.end(), {"--csv", "-"});
  markdown.insert(markdown.end(), {"--md", "-"});
  EXPECT_THAT(run_tuner(csv).out, StartsWith("ILP,predicted,measured"));
  EXPECT_THAT(run_tuner(markdown).out, StartsWith("### Occupancy that reaches"));
}

TEST(StudyCommand, NamesAnUnknownParameter) {
  const Ran ran = run_tuner({"study", "copy", "--device", "h200", "--ilp", "colour"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("colour"));
  EXPECT_THAT(ran.err, HasSubstr("items"));
}

TEST(LabCommand, ListsItsExperimentsWithoutADevice) {
  const Ran ran = run_tuner({"lab"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("coalescing"));
  EXPECT_THAT(ran.out, HasSubstr("bank-conflicts"));
}

TEST(LabCommand, PredictsForATeslaT4) {
  const Ran ran = run_tuner({"lab", "rows-cols", "block-sweep", "--device", "t4"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("on Tesla T4: PREDICTED; nothing was measured"));
  EXPECT_THAT(ran.out, HasSubstr("predicted: "));
}

TEST(LabCommand, NamesTheNearestExperiment) {
  const Ran ran = run_tuner({"lab", "coalesing", "--device", "t4"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean coalescing?"));
}

}  // namespace
}  // namespace tuner::cli
