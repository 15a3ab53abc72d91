// What each instruction of a kernel asks of the GPU. Pure.
#pragma once

#include <cstddef>
#include <optional>

#include "tuner/ptx/function.h"

namespace tuner::ptx {

enum class Kind {
  fp32,        // fma, add, mul … of f32, and of packed f16
  fp64,        // likewise of f64
  tensor,      // mma, wmma, wgmma, tcgen05
  integer,     // arithmetic, logic, comparisons, selections
  special,     // div, sqrt, sin … and conversions from and to floating point
  load,        // of any space but param
  store,       // likewise
  async_copy,  // cp.async, cp.async.bulk
  atomic,      // atom, red
  barrier,     // of a block
  shuffle,     // shfl, vote, match, redux, activemask
  branch,      // bra, brx, ret, exit
  call,        // of a function that was not inlined
  free,        // leaves no instruction behind, or hardly one: mov, cvta, ld.param
  other
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::other) + 1;

Kind kind_of(const Instruction& instruction);

enum class Space { global, shared, local, constant, generic };

// A load, store, atomic or asynchronous copy.
struct MemoryUse {
  Space space = Space::generic;  // of what is read (load) or written (the others)
  bool load = false, store = false;
  int width_bytes = 0;      // a lane; 0: an operand's value decides (bulk copies)
  bool read_only = false;   // ld.global.nc: no store of this kernel can change it
  std::size_t address = 0;  // operand that holds the address
  bool async = false;       // a copy between global and shared memory, to `space`
  std::size_t from = 0;     // operand that holds the other address of it
};
inline constexpr std::size_t kSizeOperand = 2;  // of an asynchronous copy: its bytes
std::optional<MemoryUse> memory_use(const Instruction& instruction);

// Issue slots of one execution, roughly: what the assembler makes of it. An own estimate.
double issue_slots(const Instruction& instruction);

// fma, mad, add, sub, mul of floating point: what runs on the FMA pipe.
bool is_fma_pipe(const Instruction& instruction);

}  // namespace tuner::ptx
