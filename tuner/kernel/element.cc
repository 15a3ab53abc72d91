#include "tuner/kernel/element.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "expr/error.h"

namespace tuner {
namespace {

struct Name {
  std::string_view name;
  Element element;
};

constexpr std::array kNames{
    Name{"f16", Element::f16},
    Name{"bf16", Element::bf16},
    Name{"f32", Element::f32},
    Name{"f64", Element::f64},
    Name{"i8", Element::i8},
    Name{"u8", Element::u8},
    Name{"i16", Element::i16},
    Name{"u16", Element::u16},
    Name{"i32", Element::i32},
    Name{"u32", Element::u32},
    Name{"i64", Element::i64},
    Name{"u64", Element::u64},
    Name{"half", Element::f16},
    Name{"__half", Element::f16},
    Name{"__nv_bfloat16", Element::bf16},
    Name{"nv_bfloat16", Element::bf16},
    Name{"float", Element::f32},
    Name{"double", Element::f64},
    Name{"signed char", Element::i8},
    Name{"unsigned char", Element::u8},
    Name{"char", Element::i8},
    Name{"bool", Element::u8},
    Name{"short", Element::i16},
    Name{"unsigned short", Element::u16},
    Name{"int", Element::i32},
    Name{"unsigned", Element::u32},
    Name{"unsigned int", Element::u32},
    Name{"long long", Element::i64},
    Name{"unsigned long long", Element::u64},
    Name{"int8_t", Element::i8},
    Name{"uint8_t", Element::u8},
    Name{"int16_t", Element::i16},
    Name{"uint16_t", Element::u16},
    Name{"int32_t", Element::i32},
    Name{"uint32_t", Element::u32},
    Name{"int64_t", Element::i64},
    Name{"uint64_t", Element::u64},
};

}  // namespace

Element parse_element(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.name == name) return known.element;
  }
  throw TunerError(fmt::format(
      "Unknown element type '{}'; known are f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64.",
      name));
}

std::int64_t size_of(Element element) {
  return dispatch(element, []<typename T>(std::type_identity<T>) -> std::int64_t {
    return static_cast<std::int64_t>(sizeof(T));
  });
}

bool is_integer(Element element) { return element >= Element::i8; }

float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t fraction = value.bits & 0x3ffU;
  if (exponent == 0) {  // zero and subnormal: fraction * 2^-24
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 0x1f ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

float to_float(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U)};  // NaN
  // From 65520 on, the nearest is infinity.
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  if (magnitude < 0x38800000U) {  // below 2^-14: a multiple of 2^-24
    const float scaled = std::ldexp(std::bit_cast<float>(magnitude), 24);
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(scaled)))};
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  const std::uint32_t rounded = magnitude - (112U << 23) + 0xfffU + odd;
  return {static_cast<std::uint16_t>(sign | (rounded >> 13))};
}

Bfloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};  // stays a NaN
  }
  const std::uint32_t odd = (bits >> 16) & 1U;
  return {static_cast<std::uint16_t>((bits + 0x7fffU + odd) >> 16)};
}

double load_as_double(Element element, const std::byte* bytes) {
  return dispatch(element, [bytes]<typename T>(std::type_identity<T>) {
    return as_double(load_element<T>(bytes));
  });
}

}  // namespace tuner
