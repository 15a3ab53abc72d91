// tuner doctor: what the tuner needs, whether it is there, and what to do where it is not.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

struct Check {
  std::string name;
  bool ok = false;
  std::string found;                    // what is there, or what is wrong
  std::string remedy;                   // empty where ok
  ExitCode code = ExitCode::bad_input;  // where it is not ok
};

Check check_nvrtc() {
  const NvrtcInfo nvrtc = nvrtc_info();
  if (!nvrtc.found) {
    return {"compiler (NVRTC)", false, nvrtc.problem,
            "install a CUDA Toolkit of 12.4 or later, or run scripts/quickstart, which brings "
            "NVRTC from NVIDIA's wheels; TUNER_CUDA_HOME names another place",
            ExitCode::no_device};
  }
  if (nvrtc.include_dir.empty()) {
    return {"compiler (NVRTC)", false,
            fmt::format("{} without the toolkit's headers", nvrtc.library.string()),
            "install the toolkit's headers (cuda_fp16.h and others) beside it",
            ExitCode::no_device};
  }
  return {"compiler (NVRTC)", true, nvrtc.version + ", " + nvrtc.library.string(), "", {}};
}

Check check_gpu() {
  const DeviceList list = list_devices();
  if (list.devices.empty()) {
    return {"driver and GPU", false, list.problem,
            "install NVIDIA's driver on a machine with a GPU; without one, list, space, occupancy "
            "and explain still work with --device h200",
            ExitCode::no_device};
  }
  std::string found;
  for (const LiveDevice& device : list.devices) {
    found += fmt::format("{}{}: {} (driver {})", found.empty() ? "" : "; ", device.index,
                         device.profile.name,
                         device.driver_version.empty() ? "version unknown" : device.driver_version);
  }
  return {"driver and GPU", true, found, "", {}};
}

// A check that passes unless `look`, which says what it found, throws.
Check check_folder(const std::string& name, const std::string& remedy,
                   const std::function<std::string()>& look) {
  try {
    return {name, true, look(), "", {}};
  } catch (const TunerError& error) {
    return {name, false, error.what(), remedy, ExitCode::bad_input};
  }
}

std::string look_at_kernels() {
  return fmt::format("{} ({} kernels)", data_folder().string(), built_in_kernels().size());
}

std::string look_at_profiles() {
  const auto profiles = known_profiles();
  if (profiles.empty()) throw TunerError("no device profile is there");
  return fmt::format("{} ({} device profiles)", (data_folder() / "configs").string(),
                     profiles.size());
}

std::string look_at_writable(const std::filesystem::path& folder) {
  check_writable(folder / "doctor");
  return folder.string();
}

std::vector<Check> all_checks() {
  const std::string reinstall = "install the tuner again: cmake --install brings these files";
  return {check_nvrtc(),
          check_gpu(),
          check_folder("data folder", reinstall, look_at_kernels),
          check_folder("configs folder", reinstall, look_at_profiles),
          check_folder("cache folder", "make it writable, or let XDG_CACHE_HOME name another",
                       [] { return look_at_writable(user_cache_folder()); }),
          check_folder("results folder", "make it writable, or let XDG_DATA_HOME name another",
                       [] { return look_at_writable(user_data_folder()); })};
}

ExitCode run(const Output& output) {
  const std::vector<Check> checks = all_checks();
  ExitCode code = ExitCode::ok;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    const char* mark = check.ok ? (output.color() ? "\x1b[32mOK\x1b[0m     " : "OK     ")
                                : (output.color() ? "\x1b[31mproblem\x1b[0m" : "problem");
    output.text(fmt::format("{}  {}: {}\n", mark, check.name, check.found));
    if (!check.ok) output.text(fmt::format("         -> {}\n", check.remedy));
    if (!check.ok && code == ExitCode::ok) code = check.code;
    list.push_back(
        {{"name", check.name}, {"ok", check.ok}, {"found", check.found}, {"remedy", check.remedy}});
  }
  output.json({{"ok", code == ExitCode::ok}, {"checks", list}});
  return code;
}

}  // namespace

Action declare_doctor(CLI::App&) { return run; }

}  // namespace tuner
