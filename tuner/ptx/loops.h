// Basic blocks and natural loops of a kernel. Pure.
#pragma once

#include <vector>

#include "tuner/ptx/function.h"

namespace tuner::ptx {

// Instructions begin … end - 1: entered at the first alone, left after the last alone.
struct Block {
  int begin = 0, end = 0;
  std::vector<int> next;  // blocks; none where the thread ends
  int loop = -1;          // the innermost one that holds it; -1: none
};

// All that can run between a header and a branch back to it.
struct Loop {
  int header = 0;           // block
  std::vector<int> blocks;  // ascending, those of inner loops too
  int parent = -1;          // the innermost loop around it; -1: none
  int depth = 1;            // of nesting, 1 outermost
};

struct ControlFlow {
  std::vector<Block> blocks;    // in the text's order; the first is the entry
  std::vector<Loop> loops;      // by header; an outer one before those in it
  std::vector<int> block_of;    // of each instruction
  bool irreducible = false;     // a cycle that is entered in several places, and is in no loop here
  bool indirect_jumps = false;  // brx.idx: where to is not looked at

  bool in_loop(int block, int loop) const;
};

ControlFlow control_flow(const Function& function);

}  // namespace tuner::ptx
