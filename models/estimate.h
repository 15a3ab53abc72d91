// The time of a configuration on a device, and why: occupancy, each pipe's time, the bound in
// words. Receives shapes and counts only; what they come from (index expressions, compiled code) is
// evaluated by the caller. Pure, thread-safe. The formulas, with their sources, are in
// docs/model.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/derivation.h"
#include "models/device_profile.h"
#include "models/occupancy.h"

namespace tuner::models {

// One memory instruction of the source, averaged over sampled warps.
struct MemoryAccess {
  std::string name;
  bool shared = false;  // shared memory, else global
  bool store = false;
  int width_bytes = 4;           // a lane
  double requests_per_warp = 0;  // executions by one warp over its life
  int instructions = 1;          // of the compiled code that this stands for
  double active_lanes = 32;
  double sectors_per_request = 0;   // global
  double lines_per_request = 0;     // global
  double granules_per_request = 0;  // global, of DeviceProfile::dram_granule bytes
  // Global loads: ends of what lies side by side in these pieces and a block asks for together; 0:
  // none was seen.
  double runs_per_request = 0;
  double efficiency = 1;  // global: useful / moved bytes
  // Shared: wavefronts per request; global: likewise where L1 serves it.
  double bank_wavefronts = 0;
  // By a copy from global to shared memory that no warp waits for as for an instruction of its own.
  bool async = false;
  double reuse = 1;  // how often a fetched byte is asked for while still cached (L1 or L2)
  // The part of `reuse` that the SM's own L1 serves; traffic of L2 shrinks by it.
  double l1_reuse = 1;
  double buffer_bytes = 0;  // size of the buffer; 0 unknown
  // The part of the buffer that this access is the first to touch, where several share it.
  double first_touch = 1;
};

struct LaunchShape {
  std::string name;
  std::int64_t blocks = 0;              // of the grid
  int threads = 0;                      // a block
  std::array<std::int64_t, 3> grid{};   // 0: not given, and not checked against the limits
  std::array<std::int64_t, 3> block{};  // likewise
  std::int64_t cluster_blocks = 1;      // blocks a cluster
  bool cooperative = false;             // every block must be resident
  std::int64_t dynamic_shared = 0;      // bytes
  // Compiled facts; nullopt before compiling (the static bound then assumes what is most
  // favourable).
  std::optional<int> registers;
  std::optional<std::int64_t> static_shared;
  std::int64_t spill_bytes = 0;  // a thread
  int min_registers = 0;         // what the source is known to need without compiling (sums, say)
  int min_blocks_per_sm = 1;     // promised to the compiler, which fits registers to it
  int register_limit = 0;        // given to the compiler; 0: none
  std::vector<MemoryAccess> accesses;
  double fma_per_thread = 0;  // fused multiply-adds (or adds)
  // Distinct ones that an FMA reads; below 3 the register ports hold nothing back.
  double fma_registers = 3;
  // Share of the FMAs, for however many chains, none of whose three registers is in the reuse
  // cache: what the order of an outer product leaves.
  double fma_fresh = 0;
  double instructions_per_thread = 0;  // others beside them and the memory instructions; 0 unknown
  double ilp = 1;                      // independent chains a thread
  double loads_in_flight = 1;          // independent global loads a thread
  double barriers_per_block = 0;
  double exchanges = 0;  // times that a block waits for what other blocks send
  double atomics = 0;    // operations of a block at addresses that all blocks use
  bool fp64 = false;
  std::optional<Derivation> derived;  // where the compiled code told what no model did
  double memset_bytes = 0;            // for a memset step: bytes written; the rest is unused
};

struct KernelShape {
  std::vector<LaunchShape> launches;
  double useful_flops = 0;  // from `work`
  double useful_bytes = 0;  // from `work`; less traffic than this cannot be
  bool cold = true;         // inputs come from DRAM, else from L2 where they fit
};

struct Pipe {
  // dram l2 latency fma issue shared chain spill barrier dispatch launch exchange atomics tail
  std::string name;
  double time_ns = 0;
};

struct Score {
  double time_ns = 0;
  double bound_ns = 0;  // a lower bound that no run of this configuration can beat (roofs alone)
  bool keep = true;     // false: cannot launch here, or cannot win
  std::string drop_reason;  // counted in tallies: short, without numbers of this configuration
};

struct Estimate : Score {
  std::vector<Pipe> pipes;  // longest first, summed over launches; what each would take alone
  std::string bound;        // the binding pipe's name
  std::string words;        // one or two sentences: why, and what would have to change
  std::vector<Occupancy> occupancy;  // a launch each; a memset's is empty
};

// Without `accesses` and counts the estimate falls back to `useful_flops` and `useful_bytes`, and
// `words` says so. Where !keep because of a refused launch, time_ns is infinite.
// `without`: a pipe's name, to see what the estimate is worth when that takes no time.
Estimate estimate(const DeviceProfile& device, const KernelShape& kernel,
                  std::string_view without = {});
// The same time without the reasons, for looking at many configurations.
Score score(const DeviceProfile& device, const KernelShape& kernel, std::string_view without = {});

}  // namespace tuner::models
