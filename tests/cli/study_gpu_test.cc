// tuner study and lab on a real GPU, by the executable alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

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

// The model counts blocks as the driver does, and suggests what it does.
TEST_F(StudyGpu, AgreesWithTheDriverOnOccupancy) {
  const Ran ran = run_tuner_on_gpu({"lab", "all", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto& experiment : ran.json().at("experiments")) {
    EXPECT_TRUE(experiment.at("notes").empty()) << experiment.at("notes").dump();
    for (const auto& row : experiment.at("rows")) {
      EXPECT_EQ(row.at("driver_blocks_per_sm"), row.at("blocks_per_sm")) << row.dump();
    }
    if (experiment.at("experiment") != "occupancy") continue;
    EXPECT_EQ(experiment.at("suggested"), experiment.at("suggested_by_driver"));
  }
}

// Skipped where ncu is not there, or may not count.
TEST_F(StudyGpu, CountsWhatTheModelPredicts) {
  const Ran ran = run_tuner_on_gpu(
      {"explain", "copy", "--n", "2^26", "--set", "width=4", "--counters", "--json", "-"});
  if (ran.code == 4) {
    EXPECT_THAT(ran.err, testing::AnyOf(HasSubstr("Nsight Compute"), HasSubstr("administrators")));
    GTEST_SKIP() << ran.err;
  }
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json counters = ran.json().at("counters").at("linear");
  for (const char* exact : {"load_sectors_per_request", "store_sectors_per_request"}) {
    EXPECT_EQ(counters.at("measured").at(exact), counters.at("model").at(exact)) << exact;
  }
  const double read = counters.at("measured").at("dram_bytes_read").get<double>();
  EXPECT_NEAR(read, counters.at("model").at("dram_bytes_read").get<double>(), 0.05 * read);
}

}  // namespace
}  // namespace tuner::cli
