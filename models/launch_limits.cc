#include "models/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::models {
namespace {

constexpr int kWarp = 32;
constexpr int kPartitions = 4;
constexpr int kRegisterUnit = 8;  // registers a thread, as allocated (256 a warp)

// The most registers a thread with which a block of so many threads still launches.
int launchable_registers(const DeviceProfile& device, int threads) {
  const int warps = (std::max(threads, 1) + kWarp - 1) / kWarp;
  const int allocated = (warps + kPartitions - 1) / kPartitions * kPartitions * kWarp;
  const int registers = device.registers_per_block / allocated / kRegisterUnit * kRegisterUnit;
  return std::clamp(registers, kRegisterUnit, device.max_registers_per_thread);
}

bool over(const std::array<std::int64_t, 3>& size, std::int64_t x, std::int64_t y, std::int64_t z) {
  return size[0] > x || size[1] > y || size[2] > z;
}

std::string size_refusal(const DeviceProfile& device, const LaunchShape& shape) {
  if (shape.blocks < 1) return "cannot launch: empty grid";
  if (over(shape.grid, device.max_grid_x, device.max_grid_y, device.max_grid_z)) {
    return "grid over the device's limit";
  }
  if (shape.threads < 1) return "cannot launch: empty block";
  if (shape.threads > device.max_threads_per_block) {
    return fmt::format("cannot launch: block over {} threads", device.max_threads_per_block);
  }
  if (over(shape.block, device.max_block_x, device.max_block_y, device.max_block_z)) {
    return "cannot launch: block dimension over the device's limit";
  }
  if (shape.cluster_blocks > device.max_cluster) return "cannot launch: cluster too large";
  return {};
}

}  // namespace

AssumedResources assumed_resources(const DeviceProfile& device, const LaunchShape& shape) {
  AssumedResources result;
  result.block = {.threads = shape.threads,
                  .registers_per_thread = shape.registers.value_or(shape.min_registers),
                  .static_shared = shape.static_shared.value_or(0),
                  .dynamic_shared = shape.dynamic_shared};
  result.spill_bytes = shape.spill_bytes;
  if (!shape.registers) {
    // The compiler is told the block size, often how many blocks must fit too, and spills what
    // these have no room for: a word for each register that is missing, which is stored and loaded
    // at several places of an unrolled loop (counted in matmul's code for sm_90).
    constexpr std::int64_t kRegisterBytes = 32;
    int most = launchable_registers(device, shape.threads * std::max(shape.min_blocks_per_sm, 1));
    if (shape.register_limit > 0) most = std::min(most, shape.register_limit);
    const int excess = std::max(0, shape.min_registers - most);
    result.block.registers_per_thread -= excess;
    result.spill_bytes = std::max(result.spill_bytes, kRegisterBytes * excess);
  }
  return result;
}

std::string launch_refusal(const DeviceProfile& device, const LaunchShape& shape,
                           const Occupancy& occupancy) {
  if (std::string why = size_refusal(device, shape); !why.empty()) return why;
  if (!occupancy.refusal.empty()) {
    const bool registers = (occupancy.limits.registers == 0 && occupancy.limits.warps > 0) ||
                           shape.registers.value_or(0) > device.max_registers_per_thread;
    return registers ? "cannot launch: registers" : "cannot launch: shared memory";
  }
  const std::int64_t slots = std::int64_t{occupancy.blocks_per_sm} * device.sm_count;
  if (shape.cooperative && !device.cooperative_launch) {
    return "cannot launch: no cooperative launches on this device";
  }
  if (shape.cooperative && shape.blocks > slots) {
    return "cannot launch: cooperative grid does not fit";
  }
  return {};
}

}  // namespace tuner::models
