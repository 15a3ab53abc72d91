// What each unit of the GPU would take for a launch if it worked alone. One small function a pipe,
// all times in ns of the whole GPU with its work spread evenly; quantization into blocks and waves
// comes after (models/join.h). Pure.
#pragma once

#include <array>
#include <cstdint>

#include "models/device_profile.h"
#include "models/estimate.h"

namespace tuner::models {

// A launch with what the pipes share of it.
struct LaunchLoad {
  const DeviceProfile& device;
  const LaunchShape& shape;
  double warps_per_block = 0;
  double warps = 0;              // of the grid
  double resident_blocks = 0;    // a SM, by occupancy and the grid
  std::int64_t spill_bytes = 0;  // a thread: compiled, or sure to come
  bool cold = true;
};

struct PipeTimes {
  double dram = 0;     // bytes / roof
  double l2 = 0;       // sectors / roof
  double latency = 0;  // round trips to global memory ÷ resident warps
  double fma = 0;      // lanes and register ports
  double issue = 0;    // instructions other than FMAs
  double shared = 0;   // L1 and shared-memory wavefronts
  double chain = 0;    // one warp's own arithmetic and shared memory ÷ resident warps
  double spill = 0;
  double barrier = 0;
  double dispatch = 0;  // starting the blocks
};

struct NamedPipe {
  const char* name;
  double PipeTimes::*time;
};
inline constexpr auto kPipes = std::to_array<NamedPipe>({{"dram", &PipeTimes::dram},
                                                         {"l2", &PipeTimes::l2},
                                                         {"latency", &PipeTimes::latency},
                                                         {"fma", &PipeTimes::fma},
                                                         {"issue", &PipeTimes::issue},
                                                         {"shared", &PipeTimes::shared},
                                                         {"chain", &PipeTimes::chain},
                                                         {"spill", &PipeTimes::spill},
                                                         {"barrier", &PipeTimes::barrier},
                                                         {"dispatch", &PipeTimes::dispatch}});

// What comes after all of them, and is no unit's: blocks that wait for one another, or for their
// turn at an address.
inline constexpr const char* kExchange = "exchange";
inline constexpr const char* kAtomics = "atomics";

PipeTimes pipe_times(const LaunchLoad& load);

// Bytes that the launch moves to and from DRAM, with what L2 keeps taken off.
struct DramBytes {
  double read = 0;
  double written = 0;
};
DramBytes dram_bytes(const LaunchLoad& load);

// Bytes that the SMs ask L2 for and send to it, with what L1 keeps taken off.
double l2_bytes(const LaunchLoad& load);

// Instructions of a warp other than FMAs, with those that access memory.
double other_instructions(const LaunchShape& shape);

// Whether each step of the chains waits for operands from shared memory, or from lines that L1
// holds.
bool feeds_chains(const LaunchShape& shape);

// Outer steps of a thread: how often its independent chains advance by one FMA each.
double chain_steps(const LaunchShape& shape);

}  // namespace tuner::models
