// What waits for what within a basic block. Pure.
#pragma once

#include <span>

#include "tuner/ptx/function.h"
#include "tuner/ptx/loops.h"

namespace tuner::ptx {

// Floating-point operations, and the longest chain of them in which each waits for the one before.
struct FmaChain {
  int operations = 0, longest = 0;
};
FmaChain fma_chain(const Function& function, const Block& block);

// Loads from global memory (asynchronous copies among them), and the runs that they come in: of a
// run nothing keeps the loads from being issued together, no barrier, no store that might change
// what is loaded, no address that another load of the run brings. Within a block the compiler moves
// loads before what uses others; into a block before it, it does not.
struct LoadRuns {
  int loads = 0, runs = 0;
  int bytes = 0;  // of one lane, that wait in registers: of copies none
};
// `blocks` run one after the other.
LoadRuns load_runs(const Function& function, std::span<const Block> blocks);

}  // namespace tuner::ptx
