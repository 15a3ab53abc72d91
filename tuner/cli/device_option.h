// --device: the GPU that a command is about, there or not.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/device_profile.h"

namespace tuner {

// A device, and the GPUs of this machine that are meant by it (none for a profile).
struct ChosenDevice {
  models::DeviceProfile profile;
  std::vector<int> gpus;       // indices, all of one kind
  std::string driver_version;  // empty without a GPU, or without NVML
};

struct DeviceOption {
  std::string text;  // empty: the first GPU of this machine

  void add_to(CLI::App& app);

  // "0" (a GPU of this machine), "all" (all of them, which must be alike), "h200" (a profile's
  // name), "sm_90", "my/gpu.json". Throws TunerError: unknown names with the nearest one;
  // ExitCode::no_device where a GPU is needed and there is none, saying both ways on.
  ChosenDevice choose() const;
  models::DeviceProfile resolve() const { return choose().profile; }
};

// The profiles that were calibrated here, and those that come with the tuner for all other GPUs.
std::vector<models::DeviceProfile> known_profiles();

}  // namespace tuner
