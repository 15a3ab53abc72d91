#include "tuner/store/configs_folders.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/tuner/store/fixture.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

// Sets an environment variable, or removes it, until the end of the test.
class [[nodiscard]] Variable {
 public:
  Variable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      ::setenv(name_.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> old_;
};

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
