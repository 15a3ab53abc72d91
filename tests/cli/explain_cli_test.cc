#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;

TEST(Explain, CompilesForADeviceThatIsNotThere) {
  const Ran run = run_tuner({"explain", "matmul", "--n", "4096", "--device", "h200", "--set",
                             "algorithm=tile", "TILE=16", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = run.json();
  EXPECT_EQ(json.at("config").at("TILE"), 16);
  EXPECT_GT(json.at("registers").get<int>(), 0);
  EXPECT_EQ(json.at("spill_bytes"), 0);
  // Two tiles of 16 x 16 floats, wherever the kernel keeps them.
  EXPECT_GE(json.at("static_smem").get<int>() + json.at("dynamic_smem").get<int>(), 2048);
  EXPECT_GT(json.at("blocks_per_sm").get<int>(), 0);
  // 2 * 4096^3 operations at H200's 67 TFLOP/s of FP32 take 2.05 ms at the very least.
  EXPECT_GT(json.at("predicted_ms").get<double>(), 2.0);
  EXPECT_TRUE(json.at("pipes").contains(json.at("bound").get<std::string>()));
  ASSERT_FALSE(json.at("accesses").empty());
  for (const auto& access : json.at("accesses")) {
    for (const char* field : {"name", "sectors_per_request", "efficiency", "bank_wavefronts"}) {
      EXPECT_TRUE(access.contains(field)) << field;
    }
  }
}

TEST(Explain, TellsInWords) {
  const Ran run = run_tuner({"explain", "copy", "--device", "sm_80"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part : {"occupancy", "predicted", "dram", "binds", "registers a thread"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Explain, ExitsWithThreeWhereNoConfigurationIsValid) {
  const Ran run = run_tuner(
      {"explain", "matmul", "--device", "h200", "--set", "algorithm=register", "BM=32", "BN=256"});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("a long thin tile reuses too little"));
}

}  // namespace
}  // namespace tuner::cli
