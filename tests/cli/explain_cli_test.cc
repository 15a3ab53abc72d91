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
  // 66,908 GFLOP/s of FP32 over 4400 GB/s; each byte of a tile of 16 x 16 serves several FMAs.
  EXPECT_NEAR(json.at("roofline").at("ridge").get<double>(), 15.2, 0.1);
  EXPECT_GT(json.at("roofline").at("flops_per_byte").get<double>(), 1);
  EXPECT_LE(json.at("roofline").at("roof_gflops").get<double>(), 66909);
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

TEST(Explain, KernelWithoutModelIsDerivedFromItsPtx) {
  const std::string stencil = TUNER_EXAMPLES "/stencil";
  const Ran run =
      run_tuner({"explain", stencil, "--device", "h200", "--set", "points=4", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = run.json();
  const nlohmann::json& derived = json.at("launches").at(0).at("derived");
  EXPECT_GT(derived.at("fma").get<double>(), 4 * 4);  // four neighbours of four points
  EXPECT_FALSE(derived.at("loops").empty());
  EXPECT_FALSE(derived.at("known").empty());
  EXPECT_FALSE(derived.at("assumed").empty());
  EXPECT_TRUE(derived.at("unknown").is_array());
  EXPECT_FALSE(json.at("accesses").empty());
  EXPECT_THAT(json.at("words").get<std::string>(), HasSubstr("what its PTX shows"));
  const Ran text = run_tuner({"explain", stencil, "--device", "h200"});
  for (const char* part : {"has no model", "derived", "assumed", "a thread's loops"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
}

TEST(Explain, ModelOfItsOwnIsNotReplaced) {
  const Ran run = run_tuner({"explain", "copy", "--device", "h200", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.json().at("launches").at(0).at("derived").is_null());
}

TEST(Explain, ExitsWithThreeWhereNoConfigurationIsValid) {
  const Ran run = run_tuner(
      {"explain", "matmul", "--device", "h200", "--set", "algorithm=register", "BM=32", "BN=256"});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("a long thin tile reuses too little"));
}

}  // namespace
}  // namespace tuner::cli
