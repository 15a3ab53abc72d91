#include "tuner/ptx/integer_arithmetic.h"

#include <algorithm>
#include <string_view>

namespace tuner::ptx {
namespace {

std::uint64_t as_unsigned(std::uint64_t value, const NumberType& type) {
  return value & mask(type.bits);
}

std::int64_t as_signed(std::uint64_t value, const NumberType& type) {
  const int shift = 64 - std::clamp(type.bits, 1, 64);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

// The value as a 64-bit number, extended as the type says.
std::uint64_t extended(std::uint64_t value, const NumberType& type) {
  return type.is_signed ? static_cast<std::uint64_t>(as_signed(value, type))
                        : as_unsigned(value, type);
}

Bits compare(std::string_view how, const NumberType& type, std::uint64_t a, std::uint64_t b) {
  const bool less = type.is_signed ? as_signed(a, type) < as_signed(b, type)
                                   : as_unsigned(a, type) < as_unsigned(b, type);
  const bool equal = as_unsigned(a, type) == as_unsigned(b, type);
  if (how == "eq") return known(equal ? 1 : 0);
  if (how == "ne") return known(equal ? 0 : 1);
  if (how == "lt" || how == "lo") return known(less ? 1 : 0);
  if (how == "le" || how == "ls") return known(less || equal ? 1 : 0);
  if (how == "gt" || how == "hi") return known(less || equal ? 0 : 1);
  if (how == "ge" || how == "hs") return known(less ? 0 : 1);
  return {};
}

Bits divide(const NumberType& type, std::uint64_t a, std::uint64_t b, bool remainder) {
  if (as_unsigned(b, type) == 0) return {};
  if (!type.is_signed) {
    const std::uint64_t x = as_unsigned(a, type);
    const std::uint64_t y = as_unsigned(b, type);
    return known(remainder ? x % y : x / y);
  }
  const std::int64_t x = as_signed(a, type);
  const std::int64_t y = as_signed(b, type);
  if (y == -1) return known(remainder ? 0 : -static_cast<std::uint64_t>(x));
  return known(static_cast<std::uint64_t>(remainder ? x % y : x / y));
}

// The high 64 bits of a product of 64-bit numbers, by halves.
std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & mask(32);
  const std::uint64_t a1 = a >> 32;
  const std::uint64_t b0 = b & mask(32);
  const std::uint64_t b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t low_middle = a0 * b1 + (middle & mask(32));
  return a1 * b1 + (middle >> 32) + (low_middle >> 32);
}

std::uint64_t multiply_high(const NumberType& type, std::uint64_t a, std::uint64_t b) {
  if (type.bits <= 32) return (extended(a, type) * extended(b, type)) >> type.bits;
  std::uint64_t high = high_half(a, b);
  if (type.is_signed && as_signed(a, type) < 0) high -= b;
  if (type.is_signed && as_signed(b, type) < 0) high -= a;
  return high;
}

std::uint64_t shift(const NumberType& type, std::uint64_t value, std::uint64_t by, bool left) {
  const std::uint64_t amount = by & 0xffffffffU;
  if (left) return amount >= static_cast<std::uint64_t>(type.bits) ? 0 : value << amount;
  if (type.is_signed) {
    return static_cast<std::uint64_t>(as_signed(value, type) >>
                                      std::min<std::uint64_t>(amount, 63));
  }
  return amount >= static_cast<std::uint64_t>(type.bits) ? 0 : as_unsigned(value, type) >> amount;
}

std::uint64_t extract(const NumberType& type, std::uint64_t value, std::uint64_t from,
                      std::uint64_t length) {
  const int begin = static_cast<int>(std::min<std::uint64_t>(from & 0xffU, 63));
  const int bits = static_cast<int>(std::min<std::uint64_t>(length & 0xffU, 64));
  if (bits == 0) return 0;
  const std::uint64_t field = as_unsigned(value, type) >> begin;
  return type.is_signed ? static_cast<std::uint64_t>(as_signed(field, {bits, true, false}))
                        : field & mask(bits);
}

std::uint64_t lookup3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if (((table >> row) & 1U) == 0) continue;
    result |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) & ((row & 1U) != 0 ? c : ~c);
  }
  return result;
}

Bits unary(const DecodedInstruction& decoded, std::uint64_t a) {
  switch (decoded.op) {
    case Op::convert:
      return known(extended(a, decoded.source));
    case Op::neg:
      return known(-a);
    case Op::abs: {
      const std::int64_t value = as_signed(a, decoded.type);
      return known(value < 0 ? -static_cast<std::uint64_t>(value)
                             : static_cast<std::uint64_t>(value));
    }
    case Op::bit_not:
      return known(~a);
    default:
      return {};
  }
}

Bits lop3(const Instruction& instruction, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (instruction.operands.size() != 5) return {};
  return known(lookup3(a, b, c, static_cast<std::uint64_t>(instruction.operands[4].value)));
}

Bits several(const Instruction& instruction, const DecodedInstruction& decoded, std::uint64_t a,
             std::uint64_t b, std::uint64_t c) {
  const NumberType& type = decoded.type;
  const bool three = instruction.operands.size() > 3;
  switch (decoded.op) {
    case Op::add:
      return known(a + b);
    case Op::sub:
      return known(a - b);
    case Op::mul:
      return known(a * b);
    case Op::mad:
      return known(a * b + c);
    case Op::mul_high:
      return known(multiply_high(type, a, b));
    case Op::mul_wide:
      return known(extended(a, type) * extended(b, type));
    case Op::mad_wide:
      return known(extended(a, type) * extended(b, type) + c);
    case Op::div:
      return divide(type, a, b, false);
    case Op::rem:
      return divide(type, a, b, true);
    case Op::min:
      return known((compare("lt", type, a, b).value != 0) ? a : b);
    case Op::max:
      return known((compare("lt", type, a, b).value != 0) ? b : a);
    case Op::bit_xor:
      return known(a ^ b);
    case Op::shift_left:
      return known(shift(type, a, b, true));
    case Op::shift_right:
      return known(shift(type, a, b, false));
    case Op::extract:
      return three ? known(extract(type, a, b, c)) : Bits{};
    case Op::lop3:
      return lop3(instruction, a, b, c);
    case Op::compare:
      return three ? Bits{} : compare(decoded.comparison, type, a, b);
    default:
      return {};
  }
}

}  // namespace

Bits arithmetic_result(const Instruction& instruction, const DecodedInstruction& decoded,
                       std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return instruction.operands.size() < 3 ? unary(decoded, a)
                                         : several(instruction, decoded, a, b, c);
}

}  // namespace tuner::ptx
