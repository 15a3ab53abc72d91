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

TEST(StudyCommand, HasACurveForEachWidthOfLoads) {
  const Ran ran = run_tuner({"study", "copy", "--device", "h200", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  EXPECT_EQ(json.at("width_parameter"), "width");
  ASSERT_EQ(json.at("predicted_widths").size(), 3U);
  EXPECT_EQ(json.at("predicted_widths").at(2).at("load_bytes"), 16);
  EXPECT_TRUE(json.at("measured_widths").is_null());
  EXPECT_GT(json.at("width_points").size(), 30U);
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

// What was compiled decides: 65,536 registers are two blocks of 1024 threads at 32, one at 40.
TEST(LabCommand, CompilesTheRegisterBudget) {
  const Ran ran = run_tuner({"lab", "register-budget", "--device", "h200", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json rows = ran.json().at("experiments").at(0).at("rows");
  EXPECT_EQ(rows.at(0).at("case"), "24 rows, 32 registers");
  EXPECT_EQ(rows.at(0).at("registers"), 32);
  EXPECT_EQ(rows.at(0).at("blocks_per_sm"), 2);
  EXPECT_EQ(rows.at(1).at("registers"), 40);
  EXPECT_EQ(rows.at(1).at("blocks_per_sm"), 1);
  EXPECT_EQ(rows.at(1).at("limited_by"), "registers");
  EXPECT_GT(rows.at(3).at("spill_bytes"), 0) << "32 rows do not fit into 32 registers";
}

TEST(CountersFlag, NeedsAGpu) {
  for (const char* command : {"explain", "study"}) {
    const Ran ran = run_tuner({command, "copy", "--device", "h200", "--counters"});
    EXPECT_EQ(ran.code, 4) << command;
    EXPECT_THAT(ran.err, HasSubstr("--counters asks a GPU"));
  }
}

TEST(LabCommand, NamesTheNearestExperiment) {
  const Ran ran = run_tuner({"lab", "coalesing", "--device", "t4"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean coalescing?"));
}

}  // namespace
}  // namespace tuner::cli
