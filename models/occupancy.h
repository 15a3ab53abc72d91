// Theoretical occupancy: exactly what the driver says, computed by the toolkit's cuda_occupancy.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/device_profile.h"

namespace tuner::models {

// The resources of one block, as the compiled code has them.
struct BlockResources {
  int threads = 0;
  int registers_per_thread = 0;     // 0: unknown, taken as no limit
  std::int64_t static_shared = 0;   // bytes
  std::int64_t dynamic_shared = 0;  // bytes
};

enum class Limiter { warps, registers, shared_memory, blocks };
std::string_view to_string(Limiter limiter);

struct Occupancy {
  int blocks_per_sm = 0;  // 0 where the block cannot launch
  int warps_per_sm = 0;
  int max_warps_per_sm = 0;
  double occupancy = 0;  // warps_per_sm / max_warps_per_sm
  struct Limits {        // blocks per SM that each resource alone would allow
    int warps = 0, registers = 0, shared_memory = 0, blocks = 0;
  } limits;
  std::vector<Limiter> limiters;  // which of them bind, in the order above
  std::string refusal;            // why a launch would be refused; empty where it would run
};

Occupancy occupancy(const DeviceProfile& device, const BlockResources& block);

// The block size of the highest occupancy (the largest of equals) and the grid that fills the GPU
// once: what cudaOccupancyMaxPotentialBlockSize suggests. threads in `block` is ignored.
struct SuggestedLaunch {
  int block = 0;
  int min_grid = 0;
};
SuggestedLaunch suggest_block(const DeviceProfile& device, BlockResources block);

// A hypothetical SM by the textbook formula: no allocation granularity, no reserved shared memory,
// no sub-partitions. Labelled so wherever it is shown.
struct TextbookSm {
  int max_warps = 64;
  int max_blocks = 32;
  int registers = 65536;
  std::int64_t shared_bytes = 0;
  int max_threads_per_block = 1024;
};
Occupancy textbook_occupancy(const TextbookSm& sm, const BlockResources& block);

}  // namespace tuner::models
