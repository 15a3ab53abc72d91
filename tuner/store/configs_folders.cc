#include "tuner/store/configs_folders.h"

#include <algorithm>
#include <cstdlib>

#include "expr/error.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "TUNER_CONFIGS";

ConfigsFolders chosen_folder(const fs::path& given) {
  if (!given.empty()) return {given, "--configs", {}};
  const char* value = std::getenv(kVariable);
  if (value != nullptr && *value != '\0') return {value, kVariable, {}};
  return {user_data_folder() / "configs", "the user's data folder", {}};
}

fs::path comparable(const fs::path& folder) {
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(folder, error);
  return error ? folder : absolute;
}

}  // namespace

ConfigsFolders configs_folders(const fs::path& given, const fs::path& data) {
  ConfigsFolders folders = chosen_folder(given);
  folders.search.push_back(folders.write);
  try {
    const fs::path installed = data_folder(data) / "configs";
    if (comparable(installed) != comparable(folders.write)) folders.search.push_back(installed);
  } catch (const TunerError&) {
    // A tool without its data can still use the results that it was pointed to.
  }
  return folders;
}

}  // namespace tuner
