// How a launch's warps go through a kernel's PTX: sampled warps of the middle block, every lane
// walked. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/memory_access.h"
#include "tuner/ptx/loops.h"
#include "tuner/ptx/walk.h"

namespace tuner {

// One memory instruction as the lanes of a warp execute it together for the nth time.
struct WarpRequest {
  models::LaneAddresses addresses{};  // negative for a lane that is inactive
  int active_lanes = 0;
  bool known = true;  // false: an active lane's address could not be found
};

struct WarpTrace {
  double weight = 1;                               // share of the block's warps that it stands for
  std::vector<std::int64_t> executions;            // by instruction: of the busiest lane
  std::vector<std::vector<WarpRequest>> requests;  // by instruction: the first of them
  std::vector<std::vector<WarpRequest>> sources;   // of asynchronous copies
  std::vector<std::int64_t> copy_bytes;            // of bulk copies
};

struct LaunchTrace {
  std::vector<WarpTrace> warps;     // the first, and one for all others
  std::vector<bool> unknown_trips;  // by loop, of any lane
  bool unknown_branches = false, atomic_branches = false, complete = true;
};

LaunchTrace trace_launch(const ptx::Function& function, const ptx::ControlFlow& flow,
                         const ptx::Launch& launch);

}  // namespace tuner
