// Sectors, lines and bank wavefronts of one warp-wide memory instruction (DESIGN section 5).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tuner::models {

// Byte address of each lane's access, relative to an aligned base; negative for a lane that is
// inactive.
using LaneAddresses = std::array<std::int64_t, 32>;

// Bytes side by side from which on DRAM reads as fast as it can.
inline constexpr double kLongRun = 256;

struct GlobalRequest {
  int active_lanes = 0;
  int sectors = 0;        // distinct 32-byte sectors
  int lines = 0;          // distinct 128-byte lines
  int granules = 0;       // distinct pieces of `dram_granule` bytes
  int runs = 0;           // of such pieces side by side
  double efficiency = 0;  // useful bytes (distinct) / bytes of the sectors
};
GlobalRequest global_request(const LaneAddresses& addresses, int width_bytes, int dram_granule);

// Wavefronts that one shared-memory instruction takes: 32 banks of 4 bytes; lanes that read the
// same word share it; 8- and 16-byte accesses go in halves and quarters of a warp, of which two go
// together where all neighbours (lanes 0 and 1, 2 and 3 …) or all next neighbours (0 and 2, 1 and 3
// …) read the same.
int shared_wavefronts(const LaneAddresses& addresses, int width_bytes);

}  // namespace tuner::models
