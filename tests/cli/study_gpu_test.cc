// tuner study and lab on a real GPU, by the executable alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/cli/counted_cases.h"
#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;

// Skipped where there is no GPU, unless TUNER_REQUIRE_GPU is set to 1.
class StudyGpu : public testing::Test {
 protected:
  void SetUp() override {
    const char* required = std::getenv("TUNER_REQUIRE_GPU");
    const bool must = required != nullptr && std::string(required) == "1";
    if (run_tuner_on_gpu({"info", "--device", "0"}).code != 0 && !must) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(StudyGpu, MeasuresEveryPointOfACopy) {
  const Ran ran = run_tuner_on_gpu({"study", "copy", "--n", "2^26", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  EXPECT_EQ(json.at("measured"), true);
  std::size_t ballasted = 0;
  for (const auto& point : json.at("points")) {
    EXPECT_FALSE(point.contains("failure")) << point.dump();
    EXPECT_FALSE(point.at("time_ms").is_null()) << point.dump();
    ballasted += point.at("ballast_bytes") > 0 ? 1 : 0;
  }
  EXPECT_GT(ballasted, 10U);
}

// The register ports: a chain of three-register FMAs is no faster than half, two registers are.
TEST_F(StudyGpu, ChainsOfTwoRegistersBeatThoseOfThree) {
  const auto best_of_one_chain = [](const std::string& operands) {
    const Ran ran = run_tuner_on_gpu({"study", "fma_chain", "--with", "operands=" + operands,
                                      "--set", "chains=1", "--json", "-"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.json().at("measured_summary").at("peak").get<double>();
  };
  EXPECT_GT(best_of_one_chain("two"), 1.5 * best_of_one_chain("three"));
}

// One run of the whole lab: every row is measured, and the model counts blocks as the driver does,
// and suggests what it does.
TEST_F(StudyGpu, MeasuresEveryExperimentAndAgreesWithTheDriver) {
  const Ran ran = run_tuner_on_gpu({"lab", "all", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto& experiment : ran.json().at("experiments")) {
    const std::string name = experiment.at("experiment");
    EXPECT_EQ(experiment.at("measured"), true) << name;
    EXPECT_TRUE(experiment.at("notes").empty()) << name << experiment.at("notes").dump();
    for (const auto& row : experiment.at("rows")) {
      EXPECT_FALSE(row.at("time_ms").is_null()) << name << row.dump();
      EXPECT_EQ(row.at("driver_blocks_per_sm"), row.at("blocks_per_sm")) << name << row.dump();
    }
    if (name != "occupancy") continue;
    EXPECT_EQ(experiment.at("suggested"), experiment.at("suggested_by_driver"));
  }
}

// Skipped where ncu is not there, or may not count. Sectors and wavefronts are compared as totals:
// warps of which no lane takes part are requests to ncu, and none to the model.
TEST_F(StudyGpu, CountsWhatTheModelPredicts) {
  for (const auto& one : counted_cases()) {
    SCOPED_TRACE(one.at("command"));
    const Ran ran = run_tuner_on_gpu(explain_case(one, "--counters --json -"));
    if (ran.code == 4) {
      EXPECT_THAT(ran.err,
                  testing::AnyOf(HasSubstr("Nsight Compute"), HasSubstr("administrators")));
      GTEST_SKIP() << ran.err;
    }
    ASSERT_EQ(ran.code, 0) << ran.err;
    const nlohmann::json launches = ran.json().at("counters");
    ASSERT_EQ(launches.size(), 1U);
    ASSERT_FALSE(launches.front().at("accesses").empty());
    for (const auto& access : launches.front().at("accesses")) {
      ASSERT_FALSE(access.at("model").is_null()) << access.dump();
      ASSERT_FALSE(access.at("measured").is_null()) << access.dump();
      const bool shared = access.at("memory") == "shared";
      const char* each = shared ? "wavefronts_per_request" : "sectors_per_request";
      const auto total = [&](const char* whose) {
        const auto& counts = access.at(whose);
        return counts.at("requests").get<double>() * counts.at(each).get<double>();
      };
      EXPECT_NEAR(total("model"), total("measured"), kCountTolerance * total("measured"))
          << access.dump();
    }
  }
}

}  // namespace
}  // namespace tuner::cli
