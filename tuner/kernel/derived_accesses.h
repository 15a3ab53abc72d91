// The memory accesses of a launch as its warps were seen to make them. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/estimate.h"
#include "tuner/kernel/derived_model.h"
#include "tuner/kernel/warp_trace.h"
#include "tuner/ptx/function.h"

namespace tuner {

// Buffers lie this far apart in the addresses that a kernel is walked with; that of parameter i
// begins at (i + 1) times this.
inline constexpr std::int64_t kBufferStep = std::int64_t{1} << 40;

struct TracedLaunch {
  const DeriveInput& input;
  const ptx::Function& function;
  const LaunchTrace& trace;
  const std::vector<double>& factors;  // by instruction: executions for each that was followed
  double warps = 0;                    // of the grid
};

struct DerivedAccesses {
  std::vector<models::MemoryAccess> accesses;  // alike ones of a buffer as one
  // Buffers whose addresses are unknown; those that are read (or written) more than once.
  std::set<std::string> assumed_contiguous, assumed_cached;
  bool unknown_copy_sizes = false;
};

DerivedAccesses derive_accesses(const TracedLaunch& launch);

}  // namespace tuner
