// tuner calibrate: this GPU's profile, measured.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "tuner/cli/calibrate_view.h"
#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/interrupt.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/calibrate.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/device_profiles.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

struct CalibrateFlags {
  DeviceOption device;
  std::string output, configs;
  bool force = false;
};

// Where there is no GPU, a profile's name is no way on here.
ChosenDevice choose(const DeviceOption& option) {
  try {
    return option.choose();
  } catch (const TunerError& error) {
    if (error.exit_code() != ExitCode::no_device) throw;
    const DeviceList list = list_devices();
    if (!list.devices.empty()) throw;
    throw TunerError(
        fmt::format(
            "no GPU to calibrate: {} Rates are measured, so a profile's name does not do "
            "here (see tuner doctor). Where there is no way to measure, copy the profile of "
            "a GPU that is like yours from {}, change it by hand, and name the file with "
            "--device in other commands",
            list.problem, (data_folder() / "configs" / "devices").string()),
        ExitCode::no_device);
  }
}

ChosenDevice choose_gpu(const DeviceOption& option) {
  ChosenDevice device = choose(option);
  if (device.gpus.empty()) {
    throw TunerError(fmt::format("--device {}: rates are measured, so it takes a GPU of this "
                                 "machine (0, 1, …)",
                                 option.text),
                     ExitCode::no_device);
  }
  device.gpus.resize(1);
  return device;
}

std::filesystem::path output_file(const CalibrateFlags& flags, const std::string& id) {
  std::filesystem::path file = flags.output;
  if (file.empty()) file = profile_file(configs_folders(flags.configs).write, id);
  std::error_code error;
  if (!flags.force && std::filesystem::exists(file, error)) {
    throw TunerError(fmt::format(
        "{} is there already: --force replaces it, --output names another file", file.string()));
  }
  check_writable(file);
  return file;
}

ProbeTimes measure(const ChosenDevice& device) {
  const InterruptGuard interrupt;
  const std::unique_ptr<Compiler> compiler = make_compiler_pool({});
  const auto make = [&](MeasureSetup setup) {
    setup.device = device.gpus.front();
    return make_worker(std::move(setup));
  };
  const auto progress = [](std::size_t done, std::size_t of) {
    constexpr std::size_t kNow = 50;
    if (InterruptGuard::flag()) {
      throw TunerError("interrupted; no profile was written", ExitCode::interrupted);
    }
    if (done % kNow == 0) spdlog::info("{} of {} launches measured", done, of);
  };
  return run_probes(calibration_plan(device.profile), device.profile, {*compiler, make, progress});
}

ExitCode run(const CalibrateFlags& flags, const Output& output) {
  const ChosenDevice device = choose_gpu(flags.device);
  // What the model could not read back is not worth measuring.
  models::parse_device_profile(nlohmann::json(device.profile), device.profile.name);
  const std::filesystem::path file = output_file(flags, device.profile.id);
  const auto begin = std::chrono::steady_clock::now();
  ProbeTimes times = measure(device);
  models::Calibration calibration = models::calibrate(device.profile, times.points);
  CalibrationRun run{
      .calibration = std::move(calibration),
      .times = std::move(times),
      .driver = device.driver_version,
      .wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  for (const std::string& failure : run.times.failures) spdlog::warn("not measured: {}", failure);
  if (run.times.throttled) {
    spdlog::warn(
        "The GPU's clock fell while it was measured: the figures are those of a throttled GPU.");
  }
  output.text(calibration_text(run, output.color()));
  if (!any_used(run.calibration)) {
    output.json(calibration_json(run, ""));
    throw TunerError("no figure could be told; no profile was written", ExitCode::ended_early);
  }
  write_file_atomically(file, calibrated_profile(run).dump(2) + "\n");
  output.text(fmt::format("written to {}\n", file.string()));
  output.json(calibration_json(run, file.string()));
  return ExitCode::ok;
}

}  // namespace

Action declare_calibrate(CLI::App& app) {
  auto flags = std::make_shared<CalibrateFlags>();
  flags->device.add_to(app);
  app.add_option("-o,--output", flags->output,
                 "the profile to write; devices/<gpu>.json of the configs folder where left out")
      ->type_name("FILE");
  app.add_option("--configs", flags->configs,
                 "configs folder; TUNER_CONFIGS or the user's data folder where left out")
      ->type_name("DIR");
  app.add_flag("--force", flags->force, "replace a profile that is there");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
