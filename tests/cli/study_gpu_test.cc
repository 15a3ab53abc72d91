// tuner study and lab on a real GPU, by the executable alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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
class CountersGpu : public StudyGpu,
                    public testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(CountersGpu, CountWhatTheModelPredicts) {
  std::vector<std::string> command = {"explain"};
  command.insert(command.end(), GetParam().begin(), GetParam().end());
  command.insert(command.end(), {"--counters", "--json", "-"});
  const Ran ran = run_tuner_on_gpu(command);
  if (ran.code == 4) {
    EXPECT_THAT(ran.err, testing::AnyOf(HasSubstr("Nsight Compute"), HasSubstr("administrators")));
    GTEST_SKIP() << ran.err;
  }
  ASSERT_EQ(ran.code, 0) << ran.err;
  constexpr double kTolerance = 0.01;
  const nlohmann::json launches = ran.json().at("counters");
  for (const auto& [launch, counters] : launches.items()) {
    ASSERT_FALSE(counters.at("accesses").empty());
    for (const auto& access : counters.at("accesses")) {
      ASSERT_FALSE(access.at("model").is_null()) << access.dump();
      ASSERT_FALSE(access.at("measured").is_null()) << access.dump();
      const auto total = [&](const char* whose) {
        const auto& counts = access.at(whose);
        return counts.at("requests").get<double>() * counts
                                                         .at(access.at("memory") == "shared"
                                                                 ? "wavefronts_per_request"
                                                                 : "sectors_per_request")
                                                         .get<double>();
      };
      EXPECT_NEAR(total("model"), total("measured"), kTolerance * total("measured"))
          << access.dump();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sample, CountersGpu,
    testing::Values(
        std::vector<std::string>{"copy", "--n", "2^24", "--set", "width=1"},
        std::vector<std::string>{"copy", "--n", "2^24", "--set", "width=4", "items=2"},
        std::vector<std::string>{"copy", "--with", "shape=rows_cols", "--size", "n=4096", "m=4096",
                                 "--set", "path=registers", "walk=rows", "block_x=32", "block_y=8"},
        std::vector<std::string>{"gather", "--n", "2^24", "--size", "stride=4", "--set",
                                 "plan=flat"},
        std::vector<std::string>{"gather", "--n", "2^24", "--size", "stride=8", "--set",
                                 "plan=staged"},
        std::vector<std::string>{"strided_read", "--n", "2^24", "--size", "stride=1", "offset=1"},
        std::vector<std::string>{"shared_stride", "--size", "stride=2"},
        std::vector<std::string>{"transpose", "--n", "4096", "--set", "tile=32", "pad=0",
                                 "width=1"},
        std::vector<std::string>{"transpose", "--n", "4096", "--set", "tile=64", "pad=1",
                                 "width=4"},
        std::vector<std::string>{"matmul", "--n", "1024", "--set", "algorithm=tile", "TILE=32"},
        std::vector<std::string>{"matmul", "--n", "1024"},
        std::vector<std::string>{"matmul", "--n", "1024", "--set", "BM=128", "BN=128", "BK=8",
                                 "TM=8", "TN=8", "PAD=0", "staging=registers", "STAGES=2"}));

}  // namespace
}  // namespace tuner::cli
