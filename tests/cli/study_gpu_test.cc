// tuner study and lab on a real GPU, by the executable alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

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

TEST_F(StudyGpu, MeasuresEveryExperiment) {
  const Ran ran = run_tuner_on_gpu({"lab", "all", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto& experiment : ran.json().at("experiments")) {
    EXPECT_EQ(experiment.at("measured"), true);
    for (const auto& row : experiment.at("rows")) {
      EXPECT_FALSE(row.at("time_ms").is_null()) << experiment.at("experiment") << row.dump();
    }
  }
}

}  // namespace
}  // namespace tuner::cli
