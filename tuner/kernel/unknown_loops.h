// How often a loop runs whose end the PTX does not show: as often as the work that is declared asks
// for. Pure.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/warp_trace.h"
#include "tuner/ptx/function.h"
#include "tuner/ptx/loops.h"

namespace tuner {

// Of all threads together; 0: not declared.
struct DeclaredWork {
  double flops = 0, bytes = 0;
  double buffer_bytes = 0;  // sizes of all buffers: the work where nothing is declared
  double threads = 0;
};

struct UnknownLoops {
  std::vector<double> factors;  // by instruction: executions for each that was followed
  std::string assumed;          // what was done about it, in words; empty where all is known
  bool unscaled = false;        // there are such loops, and nothing says how often they run
};

// `executions`: by instruction, as followed. Of several such loops, the one that does most work in
// an iteration takes what is left; the others count as often as they were followed.
UnknownLoops scale_unknown_loops(const ptx::Function& function, const ptx::ControlFlow& flow,
                                 const LaunchTrace& trace, const std::vector<double>& executions,
                                 const DeclaredWork& work);

}  // namespace tuner
