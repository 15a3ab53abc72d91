#include <fmt/format.h>

#include <algorithm>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20U || byte == 0x7F; }

// The text on one line and a caret under the byte at `position`, one column a UTF-8 character.
std::string point_at(std::string_view text, std::size_t position) {
  std::string line(text);
  std::ranges::replace_if(line, is_control, ' ');
  const auto before = text.substr(0, position);
  const auto columns =
      std::ranges::count_if(before, [](char c) { return !continues_character(c); });
  return fmt::format("  {}\n  {:>{}}", line, '^', columns + 1);
}

}  // namespace

ExpressionError::ExpressionError(std::string_view text, std::size_t position,
                                 const std::string& message)
    : TunerError(fmt::format("{}\n{}", message, point_at(text, std::min(position, text.size())))),
      position_(std::min(position, text.size())),
      reason_(message) {}

}  // namespace tuner::expr
