#include "tuner/os/paths.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "expr/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataVariable = "TUNER_DATA";
constexpr std::size_t kPasswordRecordBytes = 16384;

// Empty where the variable is not set, or is relative, which the XDG specification says to ignore.
fs::path absolute_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  fs::path path(value);
  return path.is_absolute() ? path : fs::path();
}

fs::path home_folder() {
  if (fs::path home = absolute_from_environment("HOME"); !home.empty()) return home;
  std::vector<char> buffer(kPasswordRecordBytes);
  passwd record{};
  passwd* found = nullptr;
  ::getpwuid_r(::getuid(), &record, buffer.data(), buffer.size(), &found);
  if (found == nullptr || found->pw_dir == nullptr) {
    throw TunerError(
        "This user has no home folder: set HOME, or XDG_CACHE_HOME and XDG_DATA_HOME.");
  }
  return found->pw_dir;
}

fs::path user_folder(const char* variable, const char* below_home) {
  const fs::path base = absolute_from_environment(variable);
  return (base.empty() ? home_folder() / below_home : base) / "tuner";
}

bool holds_data(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "kernels_src", error);
}

fs::path checked_data(const fs::path& folder, const char* named_by) {
  if (holds_data(folder)) return folder;
  throw TunerError(
      fmt::format("{}, which {} names, holds no kernels_src: name the share/tuner of an installed "
                  "tuner, or its source tree.",
                  folder.string(), named_by));
}

// Where this code was installed: the prefix of the shared library that it is in, if it is in one,
// then that of the executable. A library may lie in lib or in lib/<triplet>.
std::vector<fs::path> prefixes() {
  std::vector<fs::path> found;
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&holds_data), &info) != 0 &&
      fs::path(info.dli_fname).filename().string().find(".so") != std::string::npos) {
    std::error_code error;
    const fs::path library = fs::canonical(info.dli_fname, error);
    found.push_back(library.parent_path().parent_path());
    found.push_back(found.back().parent_path());
  }
  found.push_back(self_executable().parent_path().parent_path());
  return found;
}

}  // namespace

fs::path self_executable() { return fs::read_symlink("/proc/self/exe"); }

std::string tool_version() { return TUNER_VERSION; }

fs::path data_folder(const fs::path& given) {
  if (!given.empty()) return checked_data(given, "the caller");
  if (const char* value = std::getenv(kDataVariable); value != nullptr && *value != '\0') {
    return checked_data(value, kDataVariable);
  }
  std::string places;
  for (const fs::path& prefix : prefixes()) {
    const fs::path installed = prefix / TUNER_DATA_SUBDIR;
    if (holds_data(installed)) return installed;
    places += installed.string() + ", ";
  }
  if (holds_data(TUNER_SOURCE_DIR)) return TUNER_SOURCE_DIR;
  throw TunerError(
      fmt::format("The tuner's kernels and profiles are in none of {}{}: install it again, or set "
                  "{} to where they are.",
                  places, TUNER_SOURCE_DIR, kDataVariable));
}

fs::path tool_executable() {
  const char* value = std::getenv("TUNER_EXECUTABLE");
  if (value != nullptr && *value != '\0') return value;
  std::error_code error;
  for (const fs::path& prefix : prefixes()) {
    if (fs::is_regular_file(prefix / "bin" / "tuner", error)) return prefix / "bin" / "tuner";
  }
  return {};
}

fs::path user_cache_folder() { return user_folder("XDG_CACHE_HOME", ".cache"); }

fs::path user_data_folder() { return user_folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace tuner
