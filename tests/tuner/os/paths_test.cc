#include "tuner/os/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "expr/error.h"
#include "tests/tuner/os/variable.h"

namespace tuner {
namespace {

TEST(Paths, UserFoldersFollowXdg) {
  struct Case {
    std::optional<std::string> xdg;
    std::string cache, data;
  };
  const std::vector<Case> cases{
      {std::nullopt, "/home/me/.cache/tuner", "/home/me/.local/share/tuner"},
      {"/x y", "/x y/tuner", "/x y/tuner"},
      {"", "/home/me/.cache/tuner", "/home/me/.local/share/tuner"},
      {"relative", "/home/me/.cache/tuner", "/home/me/.local/share/tuner"},
  };
  const Variable home("HOME", "/home/me");
  for (const Case& item : cases) {
    const Variable cache("XDG_CACHE_HOME", item.xdg);
    const Variable data("XDG_DATA_HOME", item.xdg);
    EXPECT_EQ(user_cache_folder(), item.cache);
    EXPECT_EQ(user_data_folder(), item.data);
  }
}

TEST(Paths, HomeComesFromThePasswordFileWhereNotSet) {
  const Variable home("HOME", std::nullopt);
  const Variable cache("XDG_CACHE_HOME", std::nullopt);
  EXPECT_TRUE(user_cache_folder().is_absolute());
}

TEST(Paths, DataFolderHoldsTheKernels) {
  EXPECT_TRUE(std::filesystem::is_directory(data_folder() / "kernels_src"));
}

TEST(Paths, DataFolderIsWhereItIsSaidToBe) {
  const std::filesystem::path usual = data_folder();
  const std::filesystem::path roundabout = usual / "docs" / "..";
  EXPECT_EQ(data_folder(roundabout), roundabout);
  const Variable named("TUNER_DATA", roundabout.string());
  EXPECT_EQ(data_folder(), roundabout);
  EXPECT_EQ(data_folder(usual), usual);
}

TEST(Paths, ADataFolderWithoutKernelsIsNamedWithWhatNamedIt) {
  const Variable named("TUNER_DATA", "/nowhere/data");
  try {
    data_folder();
    FAIL() << "expected a TunerError";
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("/nowhere/data"),
                                             testing::HasSubstr("TUNER_DATA")));
  }
  EXPECT_THROW(data_folder("/nowhere"), TunerError);
}

TEST(Paths, TheToolIsTheOneThatTheEnvironmentNames) {
  const Variable named("TUNER_EXECUTABLE", "/opt/bin/tuner");
  EXPECT_EQ(tool_executable(), "/opt/bin/tuner");
}

TEST(Paths, SelfIsThisExecutable) { EXPECT_EQ(self_executable().filename(), "os_test"); }

TEST(Paths, VersionHasThreeNumbers) {
  EXPECT_THAT(tool_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace tuner
