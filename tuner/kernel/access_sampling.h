// Plays a launch's memory instructions for a few of its warps and averages what they ask of the
// memory: the first and an inner block, the first, middle and last warp of each, loop variables
// at 0 and 1. The middle warp stands for all warps between the others. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/estimate.h"
#include "tuner/kernel/access_memo.h"
#include "tuner/kernel/bound_kernel.h"

namespace tuner {

// `cells`: configuration and compiled names filled in; those of threads are overwritten. Empty
// where the shape holds no thread (the estimate refuses such a launch by itself). `memo` may be
// nullptr.
std::vector<models::MemoryAccess> sample_accesses(const BoundKernel& kernel, const BoundStep& step,
                                                  const std::array<std::int64_t, 3>& grid,
                                                  const std::array<std::int64_t, 3>& block,
                                                  std::span<expr::Cell> cells, AccessMemo* memo);

}  // namespace tuner
