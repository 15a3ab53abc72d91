// What an instruction does to integers and predicates, read from its opcode once for all the times
// that a walk executes it. Pure. The opcodes: NVIDIA's "Parallel Thread Execution ISA".
#pragma once

#include <string_view>
#include <vector>

#include "tuner/ptx/function.h"

namespace tuner::ptx {

// What a type tells: its width, and how its bits are read.
struct NumberType {
  int bits = 0;  // 0: no type
  bool is_signed = false, floating = false;
};

enum class Op {
  skip,     // nothing that a register would hold
  unknown,  // its results are unknown
  move,
  pack,
  unpack,
  parameter,
  to_shared,
  from_shared,
  convert,
  add,
  sub,
  mul,
  mul_high,
  mul_wide,
  mad,
  mad_wide,
  div,
  rem,
  min,
  max,
  neg,
  abs,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  lop3,
  shift_left,
  shift_right,
  extract,
  compare,
  select,
  branch,
  stop
};

struct DecodedInstruction {
  Op op = Op::unknown;
  NumberType type, source;      // source: of a conversion
  std::string_view comparison;  // "lt"; part of the instruction's opcode
  std::vector<int> results;     // registers
  bool memory = false;          // whether it accesses memory
};

DecodedInstruction decode(const Instruction& instruction);

}  // namespace tuner::ptx
