// The main job on a real GPU, by the executable alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

// Skipped where there is no GPU, unless TUNER_REQUIRE_GPU is set to 1. Results, journals and the
// cache go to a folder of the test's own.
class TuneGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tuner-gpu-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("XDG_DATA_HOME", folder_.c_str(), 1);
    const char* required = std::getenv("TUNER_REQUIRE_GPU");
    const bool must = required != nullptr && std::string(required) == "1";
    if (run_tuner_on_gpu({"info", "--device", "0"}).code != 0 && !must) GTEST_SKIP() << "no GPU";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string mixed() { return std::string(TUNER_TESTS) + "/faults/mixed"; }
  fs::path folder_;
};

TEST_F(TuneGpu, BrokenVariantsCostTheirOwnTrialOnly) {
  const Ran run = run_tuner_on_gpu({"tune", mixed(), "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = run.json();
  const nlohmann::json failures = {
      {"compile_error", 1}, {"crash", 1}, {"timeout", 1}, {"wrong", 2}};
  EXPECT_EQ(json.at("failures"), failures) << json.dump(2);
  EXPECT_EQ(json.at("winner").at("config").at("variant"), "good");
  EXPECT_EQ(json.at("counts").at("measured"), 7);  // three good ones among them
  EXPECT_TRUE(fs::exists(folder_ / "tuner/configs/mixed"));
}

TEST_F(TuneGpu, WhereAllFailItExitsWithThreeAndATally) {
  const Ran run =
      run_tuner_on_gpu({"tune", mixed(), "--set", "variant=wrong,out_of_bounds", "--json", "-"});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(run.json().at("winner").is_null());
  const nlohmann::json failures = {{"crash", 1}, {"wrong", 1}};
  EXPECT_EQ(run.json().at("failures"), failures);
}

TEST_F(TuneGpu, AKilledRunIsResumed) {
  const std::vector<std::string> command = {"tune",       "matmul", "--n",    "512",
                                            "--patience", "0",      "--time", "8"};
  EXPECT_EQ(run_tuner_on_gpu(command, 5.0).code, -1);  // killed
  const Ran again = run_tuner_on_gpu(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, testing::HasSubstr("trials are known"));
}

TEST_F(TuneGpu, RecordsASpace) {
  const std::string file = (folder_ / "recording.json.gz").string();
  const Ran run = run_tuner_on_gpu({"record", "copy", "--n", "1000003", "--set", "width=1,4",
                                    "items=1", "block=128,256", "persistent=0", "load_cache=cached",
                                    "store_cache=cached", "-o", file, "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json().at("failed"), 0);
  EXPECT_EQ(run.json().at("trials"), 4);
  EXPECT_TRUE(fs::exists(file));
}

}  // namespace
}  // namespace tuner::cli
