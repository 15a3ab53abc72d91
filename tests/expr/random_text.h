// Random texts for the tests of expr/, the same on every machine.
#pragma once

#include <array>
#include <random>
#include <string>
#include <string_view>

namespace tuner::expr {

class RandomText {
 public:
  explicit RandomText(std::uint32_t seed) : engine_(seed) {}

  // Distributions of <random> differ between standard libraries; this does not.
  std::size_t below(std::size_t bound) { return engine_() % bound; }

  std::string bytes(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(below(256));
    return text;
  }

  std::string tokens(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += pick(kTokens);
      if (below(4) != 0) text += ' ';
    }
    return text;
  }

  // A well-typed integer expression. Small operands make errors frequent but not certain.
  std::string integer(int depth) {
    if (depth == 0) return std::string(pick(kIntegers));
    const int inner = depth - 1;
    switch (below(6)) {
      case 0:
        return "(" + boolean(inner) + " ? " + integer(inner) + " : " + integer(inner) + ")";
      case 1:
        return std::string(pick(kCalls)) + integer(inner) + ", " + integer(inner) + ")";
      case 2:
        return "abs(-" + integer(inner) + ")";
      case 3:
        return "floor(" + integer(inner) + " * 0.75)";
      default:
        return "(" + integer(inner) + std::string(pick(kArithmetic)) + integer(inner) + ")";
    }
  }

  std::string boolean(int depth) {
    if (depth == 0) return std::string(pick(kBooleans));
    const int inner = depth - 1;
    switch (below(5)) {
      case 0:
        return "(" + boolean(inner) + " and " + boolean(inner) + ")";
      case 1:
        return "(" + boolean(inner) + " or " + boolean(inner) + ")";
      case 2:
        return "not " + boolean(inner);
      default:
        return "(" + integer(inner) + std::string(pick(kComparison)) + integer(inner) + ")";
    }
  }

 private:
  template <std::size_t kSize>
  std::string_view pick(const std::array<std::string_view, kSize>& choices) {
    return choices[below(kSize)];
  }

  static constexpr auto kTokens = std::to_array<std::string_view>(
      {"1",     "0",     "2.5",    "1e9",      "0x1F",      "9223372036854775807",
       "'f32'", "\"q\"", "n",      "k",        "big",       "small",
       "x",     "on",    "off",    "dtype",    "op",        "true",
       "false", "and",   "or",     "not",      "+",         "-",
       "*",     "/",     "%",      "==",       "!=",        "<",
       "<=",    ">",     ">=",     "?",        ":",         ",",
       "(",     ")",     "(",      ")",        "min(",      "max(",
       "abs(",  "sqrt(", "floor(", "sizeof(",  "ceil_div(", "round_up(",
       "log2(", "1e",    "'",      "is_pow2(", "to_real(",  "unknown"});
  static constexpr auto kIntegers = std::to_array<std::string_view>(
      {"lane", "row", "n", "k", "BM", "TM", "0", "1", "3", "16", "big", "lane", "row"});
  static constexpr auto kBooleans = std::to_array<std::string_view>(
      {"on", "off", "true", "false", "lane < 16", "row != 3", "dtype == 'f32'", "odd", "odd"});
  static constexpr auto kCalls =
      std::to_array<std::string_view>({"min(", "max(", "ceil_div(", "round_up("});
  static constexpr auto kArithmetic =
      std::to_array<std::string_view>({" + ", " - ", " * ", " / ", " % "});
  static constexpr auto kComparison =
      std::to_array<std::string_view>({" == ", " != ", " < ", " <= ", " > ", " >= "});

  std::mt19937 engine_;
};

}  // namespace tuner::expr
