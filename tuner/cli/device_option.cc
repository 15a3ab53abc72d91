#include "tuner/cli/device_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "expr/error.h"
#include "models/architecture.h"
#include "tuner/cli/suggest.h"
#include "tuner/os/paths.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/device_profiles.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

std::vector<std::string> ids_of(const std::vector<models::DeviceProfile>& profiles) {
  std::vector<std::string> ids;
  for (const auto& profile : profiles) ids.push_back(profile.id);
  return ids;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<LiveDevice> live_devices(const std::vector<models::DeviceProfile>& known) {
  DeviceList list = list_devices();
  if (!list.devices.empty()) return std::move(list.devices);
  throw TunerError(
      fmt::format("no GPU: {} Either install NVIDIA's driver on a machine with a GPU (see tuner "
                  "doctor), or name a device that need not be there, such as --device h200 "
                  "(known: {}; or sm_90, or a profile file)",
                  list.problem, joined(ids_of(known))),
      ExitCode::no_device);
}

ChosenDevice live_device(int index, const std::vector<models::DeviceProfile>& known) {
  const std::vector<LiveDevice> devices = live_devices(known);
  for (const LiveDevice& device : devices) {
    if (device.index != index) continue;
    return {models::with_known_rates(device.profile, known), {index}, device.driver_version};
  }
  throw TunerError(
      fmt::format("--device {}: this machine's GPUs are 0 to {}", index, devices.size() - 1),
      ExitCode::no_device);
}

ChosenDevice all_live_devices(const std::vector<models::DeviceProfile>& known) {
  ChosenDevice chosen;
  for (const LiveDevice& device : live_devices(known)) {
    if (chosen.gpus.empty()) {
      chosen.profile = models::with_known_rates(device.profile, known);
      chosen.driver_version = device.driver_version;
    } else if (device.profile.name != chosen.profile.name) {
      throw TunerError(
          fmt::format("--device all: GPU {} is a {}, GPU {} a {}; tune each by its index",
                      chosen.gpus.front(), chosen.profile.name, device.index, device.profile.name));
    }
    chosen.gpus.push_back(device.index);
  }
  return chosen;
}

models::DeviceProfile named_profile(const std::string& name,
                                    const std::vector<models::DeviceProfile>& known) {
  for (const auto& profile : known) {
    if (profile.id == name || profile.name == name) return profile;
  }
  const std::vector<std::string> ids = ids_of(known);
  throw TunerError(fmt::format(
      "--device {}: no such device{}; give an index, a profile's name ({}), an architecture "
      "(sm_90), or a profile file (.json)",
      name, did_you_mean(name, ids), joined(ids)));
}

bool is_file_name(const std::string& text) {
  return text.ends_with(".json") || text.find('/') != std::string::npos;
}

}  // namespace

void DeviceOption::add_to(CLI::App& app) {
  app.add_option("--device", text,
                 "index of a GPU here, all of them (all), a profile's name (h200), an architecture "
                 "(sm_90), or a "
                 "profile file; the first GPU here where left out")
      ->type_name("DEVICE");
}

ChosenDevice DeviceOption::choose() const {
  if (is_file_name(text)) return {models::load_device_profile(text), {}, ""};
  const std::vector<models::DeviceProfile> known = known_profiles();
  if (text.empty()) return live_device(0, known);
  if (text == "all") return all_live_devices(known);
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc{} && end == text.data() + text.size() && index >= 0) {
    return live_device(index, known);
  }
  if (const int architecture = models::parse_architecture(text); architecture != 0) {
    return {models::profile_for_architecture(architecture, known), {}, ""};
  }
  return {named_profile(text, known), {}, ""};
}

std::vector<models::DeviceProfile> known_profiles() {
  std::vector<models::DeviceProfile> profiles = find_profiles(configs_folders().search);
  if (!profiles.empty()) return profiles;
  throw TunerError(fmt::format("{}: no device profile is here; the tuner is not fully installed",
                               (data_folder() / "configs" / "devices").string()));
}

}  // namespace tuner
