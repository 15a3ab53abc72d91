#include "tuner/store/configs_folders.h"

#include <gtest/gtest.h>

#include "tests/tuner/os/variable.h"
#include "tests/tuner/store/fixture.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

TEST(ConfigsFolders, TheOptionComesBeforeTheVariableBeforeTheUsersFolder) {
  const Variable home("XDG_DATA_HOME", "/home/someone/data");
  const auto shipped = data_folder() / "configs";
  {
    const Variable variable("TUNER_CONFIGS", "/from/variable");
    const ConfigsFolders given = configs_folders("/given");
    EXPECT_EQ(given.write, "/given");
    EXPECT_EQ(given.chosen_by, "--configs");
    EXPECT_THAT(given.search, testing::ElementsAre("/given", shipped));
    const ConfigsFolders from_variable = configs_folders();
    EXPECT_EQ(from_variable.write, "/from/variable");
    EXPECT_EQ(from_variable.chosen_by, "TUNER_CONFIGS");
  }
  for (const auto& none : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const Variable variable("TUNER_CONFIGS", none);
    const ConfigsFolders folders = configs_folders();
    EXPECT_EQ(folders.write, "/home/someone/data/tuner/configs");
    EXPECT_THAT(folders.search, testing::ElementsAre("/home/someone/data/tuner/configs", shipped));
  }
}

TEST(ConfigsFolders, SearchesTheShippedResultsOnceOnly) {
  const auto shipped = data_folder() / "configs";
  const auto roundabout = data_folder() / "docs" / ".." / "configs";
  EXPECT_THAT(configs_folders(roundabout).search, testing::ElementsAre(roundabout));
  EXPECT_THAT(configs_folders(shipped).search, testing::ElementsAre(shipped));
}

}  // namespace
}  // namespace tuner
