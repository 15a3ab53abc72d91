// Arithmetic of integers and predicates as the GPU does it. Pure. What each instruction computes:
// NVIDIA's "Parallel Thread Execution ISA".
#pragma once

#include <cstdint>

#include "tuner/ptx/decode.h"
#include "tuner/ptx/function.h"

namespace tuner::ptx {

// Bits of a register, zero-extended, or unknown.
struct Bits {
  std::uint64_t value = 0;
  bool known = false;
};

inline Bits known(std::uint64_t value) { return {value, true}; }

// The lowest bits.
inline std::uint64_t mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// What the instruction makes of its first three source operands; those that it lacks do not matter.
// Bits beyond the width of its result are for the caller to cut off. Unknown where the GPU's answer
// is not specified, and for what the walk does itself: moves, selections, "and" and "or", whose
// results may be known though an operand is not.
Bits arithmetic_result(const Instruction& instruction, const DecodedInstruction& decoded,
                       std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace tuner::ptx
