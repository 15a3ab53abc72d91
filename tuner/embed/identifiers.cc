#include "tuner/embed/identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expr/error.h"

namespace tuner {
namespace {

// Words of C++20.
constexpr auto kWords =
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char8_t",     "char16_t",
                                     "char32_t",      "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"});
// What stands beside a kernel's own names in the header.
constexpr auto kTaken = std::to_array<std::string_view>(
    {"about", "arguments", "launches", "maxnreg", "valid", "workspaces", "problem", "x"});

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool is_cpp_word(std::string_view name) {
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

std::string cpp_identifier(std::string_view name) {
  std::string result(name);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !is_plain(c); }, '_');
  if (result.find_first_not_of('_') == std::string::npos) {
    throw TunerError(fmt::format("'{}' cannot be a name in C++", name));
  }
  if (result.front() >= '0' && result.front() <= '9') result.insert(0, 1, '_');
  const bool taken = std::find(kTaken.begin(), kTaken.end(), result) != kTaken.end();
  if (taken || is_cpp_word(result)) result += '_';
  return result;
}

std::string cpp_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F || c == '?') {
      result += fmt::format("\\{:03o}", byte);  // '?': no trigraphs
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace tuner
