#include "tuner/runtime/first_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/select/copy_results.h"

namespace tuner::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class FirstUseTest : public testing::Test, protected CopyResults {
 protected:
  fs::path script(const std::string& text) const {
    const fs::path path = folder_.write("tuner", "#!/bin/sh\n" + text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  FirstUse how(const fs::path& executable) const { return {executable, configs(), {}, 1, 2.5}; }
  const tuner::Kernel kernel_ = copy_of(4096, h200_);
};

TEST_F(FirstUseTest, TheCommandNamesTheWholeProblem) {
  EXPECT_THAT(
      tune_command(how("/opt/tuner"), kernel_),
      ElementsAre("/opt/tuner", "tune", description_.file.string(), "--with", "shape=linear",
                  "--with", "dtype=f32", "--size", "n=4096", "--size", "m=1", "--device", "1",
                  "--time", "2.5", "--configs", configs().string(), "--quiet"));
}

TEST_F(FirstUseTest, TheProcessGetsTheCommandAndTheDataFolder) {
  const fs::path told = folder_ / "told";
  FirstUse use = how(script("printf '%s\\n' \"$TUNER_DATA\" \"$@\" > '" + told.string() + "'\n"));
  use.data = "/data of ours";
  EXPECT_EQ(tune_now(use, kernel_), "");
  EXPECT_THAT(read_file(told), testing::StartsWith("/data of ours\ntune\n"));
}

TEST_F(FirstUseTest, SaysHowItWentWrong) {
  EXPECT_THAT(tune_now(how(script("exit 3\n")), kernel_), HasSubstr("exit code 3"));
  EXPECT_THAT(tune_now(how("/nowhere/tuner"), kernel_), HasSubstr("/nowhere/tuner"));
}

}  // namespace
}  // namespace tuner::runtime
