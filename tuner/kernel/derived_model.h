// A model for a launch that none was written for, from the kernel's PTX: its accesses, counts and
// loops as one warp meets them (docs/model.md says by which rules). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/device_profile.h"
#include "models/estimate.h"

namespace tuner {

// What the kernel is called with, in the order of its parameters.
struct KernelArgument {
  std::string name;
  bool pointer = false;
  double buffer_bytes = 0;            // of what a pointer points to; 0: unknown
  std::optional<std::int64_t> value;  // of an integer scalar
};

struct DeriveInput {
  const models::DeviceProfile& device;
  std::string_view ptx;    // the module's text
  std::string_view entry;  // the kernel's name in it
  std::vector<KernelArgument> arguments;
  // Of the kernel's launches together; 0: not declared. They tell how long a loop runs whose end
  // the PTX does not show: the launch that has one is taken to do all of the work.
  double useful_flops = 0, useful_bytes = 0;
};

// Fills in the accesses, counts and `derived` of a launch whose grid, block and registers are set.
// Where the PTX cannot be read, `derived` says so and nothing else is filled in.
void derive_model(const DeriveInput& input, models::LaunchShape& launch);

}  // namespace tuner
