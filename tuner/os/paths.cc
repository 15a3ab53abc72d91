#include "tuner/os/paths.h"

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

}  // namespace

fs::path self_executable() { return fs::read_symlink("/proc/self/exe"); }

std::string tool_version() { return TUNER_VERSION; }

fs::path data_folder() {
  const fs::path prefix = self_executable().parent_path().parent_path();
  fs::path installed = prefix / TUNER_DATA_SUBDIR;
  if (holds_data(installed)) return installed;
  fs::path source = TUNER_SOURCE_DIR;
  if (holds_data(source)) return source;
  throw TunerError(
      fmt::format("The tuner's kernels and profiles are neither in {} nor in {}: install it again.",
                  installed.string(), source.string()));
}

fs::path user_cache_folder() { return user_folder("XDG_CACHE_HOME", ".cache"); }

fs::path user_data_folder() { return user_folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace tuner
