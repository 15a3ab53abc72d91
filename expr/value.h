// The values that parameters, problem axes and expressions take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace tuner {

enum class Type : std::uint8_t { integer, real, boolean, text };  // text: strings and type names

// Alternatives stand in the order of Type, so that index() converts to it.
using Value = std::variant<std::int64_t, double, bool, std::string>;

inline Type type_of(const Value& value) { return static_cast<Type>(value.index()); }
std::string_view to_string(Type type);

// "64", "0.5", "true", "f32": as written in kernel.json, on the command line and in config ids.
// Doubles print with the fewest digits that read back equal.
std::string to_string(const Value& value);

}  // namespace tuner
