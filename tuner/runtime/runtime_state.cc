#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "expr/error.h"
#include "tuner/os/paths.h"
#include "tuner/runtime/state.h"
#include "tuner/store/capture.h"
#include "tuner/store/configs_folders.h"

namespace tuner::runtime::detail {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of(const Options& options) {
  return options.configs.empty() ? configs_folders({}, options.data).search : options.configs;
}

fs::path capture_of(const Options& options) {
  if (!options.capture.empty()) return options.capture;
  const char* value = std::getenv("TUNER_CAPTURE");
  return value != nullptr ? value : "";
}

models::DeviceProfile load_profile(const Options& options) {
  const fs::path given = options.profile;
  if (given.has_parent_path() || given.extension() == ".json") {
    return models::load_device_profile(given);
  }
  const fs::path folder = data_folder(options.data) / "configs" / "devices";
  const fs::path file = folder / (options.profile + ".json");
  std::error_code error;
  if (fs::exists(file, error)) return models::load_device_profile(file);
  throw TunerError(fmt::format("There is no device profile {}; name a file, or one of those in {}.",
                               file.string(), folder.string()));
}

// As a capture names it: built-in kernels by name, so that the file serves on other machines.
std::string captured_name(const KernelDescription& kernel, const fs::path& data) {
  std::error_code error;
  const fs::path built_in = data_folder(data) / "kernels_src" / kernel.name / "kernel.json";
  return fs::equivalent(built_in, kernel.file, error) ? kernel.name
                                                      : fs::absolute(kernel.file).string();
}

// What the parts beneath log, a cache that cannot be written say, must not go to the program's
// stdout. The logger is this library's own: none of it is seen outside.
void log_to_stderr() {
  static std::once_flag once;
  std::call_once(once, [] {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "tuner", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
    spdlog::set_pattern("tuner: %v");
  });
}

}  // namespace

RuntimeState::RuntimeState(Options options)
    : options_(std::move(options)),
      folders_(folders_of(options_)),
      capture_(capture_of(options_)),
      cubins_(options_.cubins, options_.cache, options_.compile) {
  log_to_stderr();
}

RuntimeState::~RuntimeState() {
  if (captures()) {
    for (auto& [name, kernel] : kernels_) kernel->capture_rest();
  }
  if (!gpu_) return;
  try {
    const CurrentContext current(*gpu_);
    kernels_.clear();
  } catch (const TunerError&) {
    // The context is gone, and with it what was loaded: freeing it fails without harm.
    kernels_.clear();
  }
}

KernelState& RuntimeState::kernel(const std::string& name_or_path) {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(name_or_path);
  if (known != kernels_.end()) return *known->second;
  auto state = std::make_unique<KernelState>(*this, find_kernel(name_or_path, options_.data));
  return *kernels_.emplace(name_or_path, std::move(state)).first->second;
}

void RuntimeState::reload() {
  std::vector<KernelState*> all;
  {
    // Not held below: a kernel that chooses holds its own lock and asks for this one.
    const std::lock_guard lock(mutex_);
    for (auto& [name, kernel] : kernels_) all.push_back(kernel.get());
  }
  for (KernelState* kernel : all) kernel->forget();
}

models::DeviceProfile RuntimeState::device() {
  const std::lock_guard lock(mutex_);
  if (options_.profile.empty()) return open_gpu().profile;
  if (!profile_) profile_ = load_profile(options_);
  return *profile_;
}

const GpuContext& RuntimeState::gpu() {
  if (!options_.profile.empty()) {
    throw TunerError(
        fmt::format("Nothing can be launched: configurations are chosen for the profile {}, not "
                    "for a GPU of this machine (Options::profile).",
                    options_.profile));
  }
  const std::lock_guard lock(mutex_);
  return open_gpu();
}

const GpuContext& RuntimeState::open_gpu() {
  if (!gpu_) gpu_ = open_context(options_);
  return *gpu_;
}

void RuntimeState::warn(const std::string& message) const {
  if (options_.warn) {
    options_.warn(message);
  } else {
    fmt::print(stderr, "tuner: {}\n", message);
  }
}

// A program must not fail for want of a note.
void RuntimeState::capture(const KernelDescription& kernel, const tuner::Problem& problem,
                           std::int64_t count) {
  try {
    append_captured(capture_, {captured_name(kernel, options_.data), problem.axes, count});
  } catch (const TunerError& error) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(capture_failed_, true)) warn(error.what());
  }
}

bool RuntimeState::tune(const tuner::Kernel& kernel) {
  FirstUse how{options_.executable, folders_.front(), options_.data, 0, options_.tune_seconds};
  if (how.executable.empty()) how.executable = tool_executable();
  if (!(how.seconds > 0) || how.executable.empty() || !options_.profile.empty()) return false;
  how.device = gpu().device;
  const std::lock_guard lock(tuning_);
  const std::string problem = tune_now(how, kernel);
  if (!problem.empty()) {
    warn(fmt::format("{} for {} could not be tuned by {}: {}.", kernel.description().name,
                     to_string(kernel.problem()), how.executable.string(), problem));
  }
  return problem.empty();
}

}  // namespace tuner::runtime::detail
