// Whether a launch can run on a device at all. Reasons are short and free of the configuration's
// numbers, so that they can be counted. Pure.
#pragma once

#include <string>

#include "models/device_profile.h"
#include "models/estimate.h"

namespace tuner::models {

// What the block is sure to take: compiled facts, or before compiling the lower bound that leaves
// it the most. `spill_bytes` holds what cannot stay in registers.
struct AssumedResources {
  BlockResources block;
  std::int64_t spill_bytes = 0;  // a thread
};
AssumedResources assumed_resources(const DeviceProfile& device, const LaunchShape& shape);

// Empty where the launch would run.
std::string launch_refusal(const DeviceProfile& device, const LaunchShape& shape,
                           const Occupancy& occupancy);

}  // namespace tuner::models
