// tuner calibrate on a real GPU, by the executable alone. Prints the table, to be compared with
// figures that are known of the GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Skipped where there is no GPU, unless TUNER_REQUIRE_GPU is set to 1. The profile goes to a folder
// of the test's own.
class CalibrateGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tuner-calibrate-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("TUNER_CONFIGS", folder_.c_str(), 1);
    const char* required = std::getenv("TUNER_REQUIRE_GPU");
    const bool must = required != nullptr && std::string(required) == "1";
    if (run_tuner_on_gpu({"info", "--device", "0"}).code != 0 && !must) GTEST_SKIP() << "no GPU";
  }
  void TearDown() override {
    unsetenv("TUNER_CONFIGS");
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

TEST_F(CalibrateGpu, WritesAProfileThatIsUsedFromThenOn) {
  const fs::path figures = folder_ / "figures.json";
  const Ran ran = run_tuner_on_gpu({"calibrate", "--json", figures});
  std::cout << ran.out << ran.err;
  ASSERT_EQ(ran.code, 0);
  std::ifstream stream(figures);
  const nlohmann::json json = nlohmann::json::parse(stream);
  EXPECT_LT(json.at("wall_s"), 60);
  EXPECT_THAT(json.at("failures"), testing::IsEmpty());
  int used = 0;
  for (const auto& figure : json.at("figures")) used += figure.at("used").get<bool>() ? 1 : 0;
  EXPECT_GE(used, 15) << "of " << json.at("figures").size();

  const nlohmann::json device =
      run_tuner_on_gpu({"info", "--device", "0", "--json", "-"}).json().at("device");
  EXPECT_EQ(device.at("rates_source"), "calibrated");
  for (const auto& figure : json.at("figures")) {
    const std::string name = figure.at("name");
    if (!figure.at("used")) continue;
    EXPECT_NEAR(device.at("rates").at(name).get<double>() / figure.at("value").get<double>(), 1,
                1e-6)
        << name;
  }
  const Ran again = run_tuner_on_gpu({"calibrate"});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("--force"));
}

}  // namespace
}  // namespace tuner::cli
