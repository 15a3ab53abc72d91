// The element types that sizeof() and buffers know, by their short and their C++ names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tuner::expr {

struct TypeName {
  std::string_view name;  // as written in a text
  std::int64_t bytes;
  std::string_view cpp;  // what a kernel's source calls it
};

// A Scope interns these first, in this order: the text id of a type name is its index here, which
// lets sizeof() look its argument up without a lock.
inline constexpr auto kTypeNames = std::to_array<TypeName>({
    {"f16", 2, "__half"},
    {"bf16", 2, "__nv_bfloat16"},
    {"f32", 4, "float"},
    {"f64", 8, "double"},
    {"i8", 1, "signed char"},
    {"u8", 1, "unsigned char"},
    {"i16", 2, "short"},
    {"u16", 2, "unsigned short"},
    {"i32", 4, "int"},
    {"u32", 4, "unsigned int"},
    {"i64", 8, "long long"},
    {"u64", 8, "unsigned long long"},
    {"half", 2, "half"},
    {"__half", 2, "__half"},
    {"__nv_bfloat16", 2, "__nv_bfloat16"},
    {"float", 4, "float"},
    {"double", 8, "double"},
    {"bool", 1, "bool"},
    {"char", 1, "char"},
    {"signed char", 1, "signed char"},
    {"unsigned char", 1, "unsigned char"},
    {"short", 2, "short"},
    {"unsigned short", 2, "unsigned short"},
    {"int", 4, "int"},
    {"unsigned", 4, "unsigned"},
    {"unsigned int", 4, "unsigned int"},
    {"long long", 8, "long long"},
    {"unsigned long long", 8, "unsigned long long"},
    {"int8_t", 1, "int8_t"},
    {"uint8_t", 1, "uint8_t"},
    {"int16_t", 2, "int16_t"},
    {"uint16_t", 2, "uint16_t"},
    {"int32_t", 4, "int32_t"},
    {"uint32_t", 4, "uint32_t"},
    {"int64_t", 8, "int64_t"},
    {"uint64_t", 8, "uint64_t"},
});

}  // namespace tuner::expr
