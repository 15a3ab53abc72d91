#include "tuner/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include "expr/error.h"
#include "tuner/compile/compiler.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Exact names. Never the `.alt` build beside them, which two threads make slower than one.
constexpr std::array<const char*, 2> kLibraryNames{"libnvrtc.so.13", "libnvrtc.so.12"};
// Where in a CUDA home the libraries are: toolkits, wheels, the two kinds of distribution packages.
constexpr std::array<const char*, 6> kLibraryFolders{"lib64",
                                                     "lib",
                                                     "targets/x86_64-linux/lib",
                                                     "targets/sbsa-linux/lib",
                                                     "lib/x86_64-linux-gnu",
                                                     "lib/aarch64-linux-gnu"};

struct OpenLibrary {
  void* handle = nullptr;
  std::string problem;
};

OpenLibrary open_library(const fs::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return {handle, {}};
  const char* problem = ::dlerror();
  return {nullptr, problem != nullptr ? problem : "unknown reason"};
}

[[noreturn]] void fail(const std::string& message) {
  throw TunerError(message, ExitCode::no_device);
}

template <typename Function>
void bind(const OpenLibrary& library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library.handle, symbol));
  if (function == nullptr)
    fail(fmt::format("NVRTC lacks {}; CUDA 12.4 or later is needed.", symbol));
}

fs::path loaded_from(const Nvrtc& nvrtc) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(nvrtc.version), &info) == 0) return nvrtc.library;
  std::error_code error;
  const fs::path path = fs::canonical(info.dli_fname, error);
  return error ? nvrtc.library : path;
}

// NVRTC opens its builtins library by name alone, which finds the one that is already loaded.
void load_builtins(const fs::path& folder, int major) {
  const std::string prefix = fmt::format("libnvrtc-builtins.so.{}.", major);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(prefix)) open_library(entry.path());
  }
}

int major_version(const Nvrtc& nvrtc) {
  int major = 0;
  int minor = 0;
  nvrtc.version(&major, &minor);
  return major;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// In the order of the search. An empty path stands for the loader's own search path.
std::vector<fs::path> cuda_homes() {
  if (const auto asked_for = variable("TUNER_CUDA_HOME")) return {*asked_for};
  std::vector<fs::path> homes{TUNER_BUILT_CUDA_HOME};
  if (const auto home = variable("CUDA_HOME")) homes.emplace_back(*home);
  homes.emplace_back("/usr/local/cuda");
  homes.emplace_back();
  try {
    homes.push_back(data_folder() / "build" / "cuda");
  } catch (const TunerError&) {
    // An executable that was moved away from its data has no such folder.
  }
  return homes;
}

std::vector<fs::path> candidates(const fs::path& home) {
  std::vector<fs::path> result;
  for (const char* name : kLibraryNames) {
    if (home.empty()) {
      result.emplace_back(name);
      continue;
    }
    for (const char* folder : kLibraryFolders) {
      std::error_code error;
      if (fs::exists(home / folder / name, error)) result.push_back(home / folder / name);
    }
  }
  return result;
}

std::string describe_homes(const std::vector<fs::path>& homes) {
  std::vector<std::string> names;
  names.reserve(homes.size());
  for (const fs::path& home : homes) {
    names.push_back(home.empty() ? "the loader's search path" : home.string());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// "13.0": the version that the builtins beside a library carry in their name, as it will only load
// those of its own. Empty where there are none, or several.
std::string version_beside(const fs::path& library) {
  static const std::regex pattern("libnvrtc-builtins\\.so\\.([0-9]+\\.[0-9]+).*");
  std::set<std::string> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (std::smatch match; std::regex_match(name, match, pattern)) versions.insert(match[1]);
  }
  return versions.size() == 1 ? *versions.begin() : std::string();
}

// The first that load_nvrtc() would be tried with; empty where that is up to the loader.
fs::path first_candidate() {
  for (const fs::path& home : cuda_homes()) {
    if (home.empty()) return {};
    const std::vector<fs::path> found = candidates(home);
    if (!found.empty()) return found.front();
  }
  return {};
}

}  // namespace

Nvrtc load_nvrtc(const fs::path& library) {
  const OpenLibrary opened = open_library(library);
  if (opened.handle == nullptr) fail(fmt::format("Cannot load NVRTC: {}.", opened.problem));
  Nvrtc nvrtc;
  nvrtc.library = library;
  bind(opened, "nvrtcVersion", nvrtc.version);
  bind(opened, "nvrtcGetNumSupportedArchs", nvrtc.get_num_supported_archs);
  bind(opened, "nvrtcGetSupportedArchs", nvrtc.get_supported_archs);
  bind(opened, "nvrtcGetErrorString", nvrtc.get_error_string);
  bind(opened, "nvrtcCreateProgram", nvrtc.create_program);
  bind(opened, "nvrtcDestroyProgram", nvrtc.destroy_program);
  bind(opened, "nvrtcAddNameExpression", nvrtc.add_name_expression);
  bind(opened, "nvrtcCompileProgram", nvrtc.compile_program);
  bind(opened, "nvrtcGetLoweredName", nvrtc.get_lowered_name);
  bind(opened, "nvrtcGetProgramLogSize", nvrtc.get_program_log_size);
  bind(opened, "nvrtcGetProgramLog", nvrtc.get_program_log);
  bind(opened, "nvrtcGetCUBINSize", nvrtc.get_cubin_size);
  bind(opened, "nvrtcGetCUBIN", nvrtc.get_cubin);
  bind(opened, "nvrtcGetPTXSize", nvrtc.get_ptx_size);
  bind(opened, "nvrtcGetPTX", nvrtc.get_ptx);
  nvrtc.library = loaded_from(nvrtc);
  load_builtins(nvrtc.library.parent_path(), major_version(nvrtc));
  return nvrtc;
}

Nvrtc find_nvrtc() {
  const std::vector<fs::path> homes = cuda_homes();
  std::string problems;
  for (const fs::path& home : homes) {
    for (const fs::path& candidate : candidates(home)) {
      try {
        return load_nvrtc(candidate);
      } catch (const TunerError& error) {
        // That the loader does not know the name is the ordinary case, and no news.
        if (!home.empty()) problems += std::string(" ") + error.what();
      }
    }
  }
  fail(fmt::format(
      "No NVRTC was found. Looked for {} in: {}.{} Install the CUDA Toolkit (12.4 or later) or run "
      "scripts/quickstart, or set TUNER_CUDA_HOME to where it is.",
      fmt::join(kLibraryNames, " and "), describe_homes(homes), problems));
}

std::string version_text(const Nvrtc& nvrtc) {
  int major = 0;
  int minor = 0;
  nvrtc.version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::vector<int> supported_architectures(const Nvrtc& nvrtc) {
  int count = 0;
  if (nvrtc.get_num_supported_archs(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> result(static_cast<std::size_t>(count));
  if (nvrtc.get_supported_archs(result.data()) != NVRTC_SUCCESS) return {};
  return result;
}

fs::path toolkit_include_dir(const fs::path& library) {
  std::error_code error;
  fs::path folder = library.parent_path();
  // From <home>/lib64, <home>/targets/x86_64-linux/lib or <home>/lib/x86_64-linux-gnu.
  for (int level = 0; level < 3; ++level) {
    folder = folder.parent_path();
    if (fs::exists(folder / "include" / "cuda.h", error)) return folder / "include";
  }
  return {};
}

NvrtcInfo nvrtc_info_unloaded() {
  NvrtcInfo info;
  std::error_code error;
  info.library = fs::canonical(first_candidate(), error);
  info.version = version_beside(info.library);
  info.found = !error && !info.version.empty();
  if (info.found) info.include_dir = toolkit_include_dir(info.library);
  return info;
}

NvrtcInfo nvrtc_info() {
  NvrtcInfo info;
  try {
    const Nvrtc nvrtc = find_nvrtc();
    info.found = true;
    info.version = version_text(nvrtc);
    info.library = nvrtc.library;
    info.include_dir = toolkit_include_dir(nvrtc.library);
    info.architectures = supported_architectures(nvrtc);
  } catch (const TunerError& error) {
    info.problem = error.what();
  }
  return info;
}

}  // namespace tuner
