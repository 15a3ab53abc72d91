// What each operation of the language does to one pair of cells. The evaluators and the compiler's
// folding of constants share these, so that they cannot disagree.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "expr/program.h"
#include "expr/type_names.h"

namespace tuner::expr {

enum class Fault : std::uint8_t {
  none,
  overflow,
  division_by_zero,
  negative_root,
  logarithm_domain,
  negative_numerator,
  divisor_not_positive,
  outside_integers,
  unknown_type,
};

constexpr Fault overflow_if(bool overflowed) { return overflowed ? Fault::overflow : Fault::none; }

inline Fault division_fault(std::int64_t a, std::int64_t b) {
  if (b == 0) [[unlikely]]
    return Fault::division_by_zero;
  return overflow_if(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

inline Fault rounding_fault(std::int64_t numerator, std::int64_t divisor) {
  if (divisor <= 0) [[unlikely]]
    return Fault::divisor_not_positive;
  return numerator < 0 ? Fault::negative_numerator : Fault::none;
}

inline std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// dst = kOp(a, b). Where it returns a fault, dst is left as it was.
template <Op kOp>
Fault compute(Cell a, Cell b, Cell& dst);

template <>
inline Fault compute<Op::move>(Cell a, Cell /*b*/, Cell& dst) {
  dst = a;
  return Fault::none;
}
template <>
inline Fault compute<Op::widen>(Cell a, Cell /*b*/, Cell& dst) {
  dst.d = static_cast<double>(a.i);
  return Fault::none;
}

// Checked integers. The result goes through a local, as the builtins write it even on overflow.
template <>
inline Fault compute<Op::add_i>(Cell a, Cell b, Cell& dst) {
  std::int64_t whole = 0;
  if (__builtin_add_overflow(a.i, b.i, &whole)) [[unlikely]]
    return Fault::overflow;
  dst.i = whole;
  return Fault::none;
}
template <>
inline Fault compute<Op::sub_i>(Cell a, Cell b, Cell& dst) {
  std::int64_t whole = 0;
  if (__builtin_sub_overflow(a.i, b.i, &whole)) [[unlikely]]
    return Fault::overflow;
  dst.i = whole;
  return Fault::none;
}
template <>
inline Fault compute<Op::mul_i>(Cell a, Cell b, Cell& dst) {
  std::int64_t whole = 0;
  if (__builtin_mul_overflow(a.i, b.i, &whole)) [[unlikely]]
    return Fault::overflow;
  dst.i = whole;
  return Fault::none;
}
template <>
inline Fault compute<Op::neg_i>(Cell a, Cell /*b*/, Cell& dst) {
  std::int64_t whole = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, a.i, &whole)) [[unlikely]]
    return Fault::overflow;
  dst.i = whole;
  return Fault::none;
}
template <>
inline Fault compute<Op::div_i>(Cell a, Cell b, Cell& dst) {
  const Fault fault = division_fault(a.i, b.i);
  if (fault != Fault::none) [[unlikely]]
    return fault;
  dst.i = a.i / b.i;
  return Fault::none;
}
template <>
inline Fault compute<Op::mod_i>(Cell a, Cell b, Cell& dst) {
  const Fault fault = division_fault(a.i, b.i);
  if (fault != Fault::none) [[unlikely]]
    return fault;
  dst.i = a.i % b.i;
  return Fault::none;
}
template <>
inline Fault compute<Op::abs_i>(Cell a, Cell /*b*/, Cell& dst) {
  if (a.i == std::numeric_limits<std::int64_t>::min()) [[unlikely]]
    return Fault::overflow;
  dst.i = a.i < 0 ? -a.i : a.i;
  return Fault::none;
}
template <>
inline Fault compute<Op::ceil_div>(Cell a, Cell b, Cell& dst) {
  const Fault fault = rounding_fault(a.i, b.i);
  if (fault != Fault::none) [[unlikely]]
    return fault;
  dst.i = ceil_quotient(a.i, b.i);
  return Fault::none;
}
template <>
inline Fault compute<Op::round_up>(Cell a, Cell b, Cell& dst) {
  const Fault fault = rounding_fault(a.i, b.i);
  if (fault != Fault::none) [[unlikely]]
    return fault;
  std::int64_t whole = 0;
  if (__builtin_mul_overflow(ceil_quotient(a.i, b.i), b.i, &whole)) [[unlikely]]
    return Fault::overflow;
  dst.i = whole;
  return Fault::none;
}
template <>
inline Fault compute<Op::min_i>(Cell a, Cell b, Cell& dst) {
  dst.i = b.i < a.i ? b.i : a.i;
  return Fault::none;
}
template <>
inline Fault compute<Op::max_i>(Cell a, Cell b, Cell& dst) {
  dst.i = a.i < b.i ? b.i : a.i;
  return Fault::none;
}
template <>
inline Fault compute<Op::is_pow2>(Cell a, Cell /*b*/, Cell& dst) {
  dst.i = a.i > 0 && (a.i & (a.i - 1)) == 0 ? 1 : 0;
  return Fault::none;
}

// Doubles follow IEEE 754, but for division by zero and what has no real result.
template <>
inline Fault compute<Op::add_d>(Cell a, Cell b, Cell& dst) {
  dst.d = a.d + b.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::sub_d>(Cell a, Cell b, Cell& dst) {
  dst.d = a.d - b.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::mul_d>(Cell a, Cell b, Cell& dst) {
  dst.d = a.d * b.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::div_d>(Cell a, Cell b, Cell& dst) {
  if (b.d == 0) [[unlikely]]
    return Fault::division_by_zero;
  dst.d = a.d / b.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::neg_d>(Cell a, Cell /*b*/, Cell& dst) {
  dst.d = -a.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::abs_d>(Cell a, Cell /*b*/, Cell& dst) {
  dst.d = std::fabs(a.d);
  return Fault::none;
}
template <>
inline Fault compute<Op::min_d>(Cell a, Cell b, Cell& dst) {
  dst.d = b.d < a.d ? b.d : a.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::max_d>(Cell a, Cell b, Cell& dst) {
  dst.d = a.d < b.d ? b.d : a.d;
  return Fault::none;
}
template <>
inline Fault compute<Op::sqrt_d>(Cell a, Cell /*b*/, Cell& dst) {
  if (a.d < 0) [[unlikely]]
    return Fault::negative_root;
  dst.d = std::sqrt(a.d);
  return Fault::none;
}
template <>
inline Fault compute<Op::log2_d>(Cell a, Cell /*b*/, Cell& dst) {
  if (a.d <= 0) [[unlikely]]
    return Fault::logarithm_domain;
  dst.d = std::log2(a.d);
  return Fault::none;
}
template <>
inline Fault compute<Op::floor_d>(Cell a, Cell /*b*/, Cell& dst) {
  constexpr double kBound = 9223372036854775808.0;  // 2^63, exact
  const double whole = std::floor(a.d);
  if (!(whole >= -kBound && whole < kBound)) [[unlikely]]
    return Fault::outside_integers;
  dst.i = static_cast<std::int64_t>(whole);
  return Fault::none;
}

template <>
inline Fault compute<Op::eq_i>(Cell a, Cell b, Cell& dst) {
  dst.i = a.i == b.i ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::ne_i>(Cell a, Cell b, Cell& dst) {
  dst.i = a.i != b.i ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::lt_i>(Cell a, Cell b, Cell& dst) {
  dst.i = a.i < b.i ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::le_i>(Cell a, Cell b, Cell& dst) {
  dst.i = a.i <= b.i ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::eq_d>(Cell a, Cell b, Cell& dst) {
  dst.i = a.d == b.d ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::ne_d>(Cell a, Cell b, Cell& dst) {
  dst.i = a.d != b.d ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::lt_d>(Cell a, Cell b, Cell& dst) {
  dst.i = a.d < b.d ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::le_d>(Cell a, Cell b, Cell& dst) {
  dst.i = a.d <= b.d ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::not_b>(Cell a, Cell /*b*/, Cell& dst) {
  dst.i = a.i == 0 ? 1 : 0;
  return Fault::none;
}
template <>
inline Fault compute<Op::size_of>(Cell a, Cell /*b*/, Cell& dst) {
  const auto id = static_cast<std::uint64_t>(a.i);
  if (id >= kTypeNames.size()) [[unlikely]]
    return Fault::unknown_type;
  dst.i = kTypeNames[id].bytes;
  return Fault::none;
}

// Calls f.operator()<kOp>() for the computing operation `op`.
template <class F>
decltype(auto) dispatch(Op op, F&& f) {
  switch (op) {
#define TUNER_EXPR_CASE(name) \
  case Op::name:              \
    return f.template operator()<Op::name>();
    TUNER_EXPR_OPERATIONS(TUNER_EXPR_CASE)
#undef TUNER_EXPR_CASE
    default:
      __builtin_unreachable();
  }
}

}  // namespace tuner::expr
