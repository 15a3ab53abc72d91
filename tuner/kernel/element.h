// The element types of buffers, and reading and writing them on the host.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tuner {

enum class Element : std::uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

// Takes short names ("f32") and C++ ones ("float", "__half"). Throws TunerError for others.
Element parse_element(std::string_view name);
std::int64_t size_of(Element element);
bool is_integer(Element element);

// IEEE 754 binary16, and the upper half of a binary32. Rounded to the nearest, ties to even.
struct Half {
  std::uint16_t bits = 0;
};
struct Bfloat16 {
  std::uint16_t bits = 0;
};
float to_float(Half value);
float to_float(Bfloat16 value);
Half to_half(float value);
Bfloat16 to_bfloat16(float value);

// Calls `function(std::type_identity<T>{})` with the host's type of the element.
template <typename Function>
decltype(auto) dispatch(Element element, Function&& function) {
  switch (element) {
    case Element::f16:
      return function(std::type_identity<Half>{});
    case Element::bf16:
      return function(std::type_identity<Bfloat16>{});
    case Element::f32:
      return function(std::type_identity<float>{});
    case Element::f64:
      return function(std::type_identity<double>{});
    case Element::i8:
      return function(std::type_identity<std::int8_t>{});
    case Element::u8:
      return function(std::type_identity<std::uint8_t>{});
    case Element::i16:
      return function(std::type_identity<std::int16_t>{});
    case Element::u16:
      return function(std::type_identity<std::uint16_t>{});
    case Element::i32:
      return function(std::type_identity<std::int32_t>{});
    case Element::u32:
      return function(std::type_identity<std::uint32_t>{});
    case Element::i64:
      return function(std::type_identity<std::int64_t>{});
    case Element::u64:
      break;
  }
  return function(std::type_identity<std::uint64_t>{});
}

template <typename T>
double as_double(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return static_cast<double>(to_float(value));
  } else {
    return static_cast<double>(value);
  }
}

// Rounds to the element's type; integers saturate, and a NaN becomes 0 there.
template <typename T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return to_bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<T>) {
    // The bounds as doubles may lie outside of T, so that they are compared with, never converted.
    if (value != value) return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// An index or another whole number; what does not fit wraps around.
template <typename T>
T from_integer(std::int64_t value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return from_double<T>(static_cast<double>(value));
  }
}

// Elements in raw bytes, which need not be aligned.
template <typename T>
T load_element(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <typename T>
void store_element(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

double load_as_double(Element element, const std::byte* bytes);

}  // namespace tuner
