#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

constexpr std::string_view kOpen = "${";

// Where the hole that begins at `begin` (past its ${) ends: at the } outside of quotes.
std::size_t hole_end(std::string_view text, std::size_t begin) {
  char quote = '\0';
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '}') {
      return i;
    }
  }
  throw ExpressionError(text, begin - kOpen.size(), "this ${ has no closing }");
}

// Compiles a hole so that its errors point into the whole text.
Expression compile_hole(std::string_view text, std::size_t begin, std::size_t end,
                        const Scope& scope) {
  try {
    return Expression::compile(text.substr(begin, end - begin), scope);
  } catch (const ExpressionError& error) {
    throw ExpressionError(text, begin + error.position(), error.reason());
  }
}

// A real as a C++ literal of type double: "2" would be an int there.
std::string real_literal(const Expression& expression, double number) {
  if (!std::isfinite(number)) {
    throw ExpressionError(expression.text(), 0,
                          fmt::format("{} cannot be written into source code", number));
  }
  std::string digits = to_string(Value(number));
  const bool looks_whole = digits.find_first_of(".e") == std::string::npos;
  return looks_whole ? digits + ".0" : digits;
}

std::string print(const Expression& expression, std::span<const Cell> cells) {
  const Value value = expression.value(cells);
  switch (type_of(value)) {
    case Type::real:
      return real_literal(expression, std::get<double>(value));
    case Type::text:
      return cpp_type_name(std::get<std::string>(value));
    default:
      return to_string(value);
  }
}

}  // namespace

Template Template::compile(std::string_view text, const Scope& scope) {
  Template result;
  result.text_ = text;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = text.find(kOpen, at);
    result.literals_.emplace_back(text.substr(at, open - at));
    if (open == std::string_view::npos) return result;
    const std::size_t begin = open + kOpen.size();
    const std::size_t end = hole_end(text, begin);
    result.expressions_.push_back(compile_hole(text, begin, end, scope));
    at = end + 1;
  }
}

std::string Template::render(std::span<const Cell> cells) const {
  std::string result = literals_.empty() ? std::string() : literals_.front();
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    result += print(expressions_[i], cells);
    result += literals_[i + 1];
  }
  return result;
}

std::vector<int> Template::slots() const {
  std::set<int> slots;
  for (const Expression& expression : expressions_) {
    slots.insert(expression.slots().begin(), expression.slots().end());
  }
  return {slots.begin(), slots.end()};
}

}  // namespace tuner::expr
