// --device: the GPU that a command is about, there or not.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/device_profile.h"

namespace tuner {

struct DeviceOption {
  std::string text;  // empty: the first GPU of this machine

  void add_to(CLI::App& app);

  // "0" (a GPU of this machine), "h200" (a profile's name), "sm_90", "my/gpu.json". Throws
  // TunerError: unknown names with the nearest one; ExitCode::no_device where a GPU is needed and
  // there is none, saying both ways on.
  models::DeviceProfile resolve() const;
};

// The profiles that come with the tuner, by file name.
std::vector<models::DeviceProfile> known_profiles();

}  // namespace tuner
