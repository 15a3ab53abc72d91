// What the architecture alone decides, and rates for a device that nobody has measured yet:
// borrowed from the most alike profile, scaled by what is known of both. Pure.
#pragma once

#include <span>
#include <string_view>

#include "models/device_profile.h"

namespace tuner::models {

// The fields of DeviceProfile that the compute capability decides: threads, warps, blocks, shared
// memory, lanes (NVIDIA's CUDA programming guide, table "technical specifications per compute
// capability"). 75, 80, 86, 87, 89, 90, 100, 103, 120 or 121; throws TunerError for any other,
// naming those.
void apply_architecture_limits(DeviceProfile& profile, int compute_capability);

// 90 for "sm_90", "sm_90a" or "compute_90"; 0 where the text is no architecture.
int parse_architecture(std::string_view text);

// The device that `--device sm_90` means: the architecture's limits, with SM count, memory and
// rates of the known profile of the same, else of the nearest compute capability. Throws TunerError
// where the architecture is unknown or `known` is empty.
DeviceProfile profile_for_architecture(int compute_capability,
                                       std::span<const DeviceProfile> known);

// A live device knows its limits, its clock and its memory's peak. Its rates come from the known
// profile of the same name or id ("specification" or "calibrated", as that says); else from the
// profile of the nearest architecture, scaled by SMs, clock and bandwidth ("scaled"); without any
// known profile from the limits alone. A calibrated clock of the same device stands in for the
// driver's.
DeviceProfile with_known_rates(const DeviceProfile& live, std::span<const DeviceProfile> known);

// Gives each rate that is still 0 a value that follows from the others.
void complete_rates(DeviceProfile& profile);

}  // namespace tuner::models
