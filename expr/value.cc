#include "expr/value.h"

#include <array>
#include <charconv>
#include <system_error>

namespace tuner {
namespace {

template <class Number>
std::string digits(Number number) {
  std::array<char, 32> buffer;  // the longest double takes 24
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string();
}

struct Printer {
  std::string operator()(std::int64_t number) const { return digits(number); }
  std::string operator()(double number) const { return digits(number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return text; }
};

}  // namespace

std::string_view to_string(Type type) {
  switch (type) {
    case Type::integer:
      return "integer";
    case Type::real:
      return "real";
    case Type::boolean:
      return "boolean";
    case Type::text:
      return "text";
  }
  return "unknown";
}

std::string to_string(const Value& value) { return std::visit(Printer{}, value); }

}  // namespace tuner
