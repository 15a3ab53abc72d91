// The device profiles that ship with the tool.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/device_profile.h"

namespace tuner::models {

inline DeviceProfile known_device(const std::string& id) {
  return load_device_profile(std::filesystem::path(TUNER_DEVICES) / (id + ".json"));
}

inline std::vector<DeviceProfile> known_devices() {
  std::vector<DeviceProfile> result;
  for (const auto& entry : std::filesystem::directory_iterator(TUNER_DEVICES)) {
    result.push_back(load_device_profile(entry.path()));
  }
  std::sort(result.begin(), result.end(),
            [](const DeviceProfile& a, const DeviceProfile& b) { return a.id < b.id; });
  return result;
}

}  // namespace tuner::models
