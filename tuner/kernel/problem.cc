#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "expr/error.h"
#include "expr/expression.h"
#include "tuner/kernel/kernel.h"

namespace tuner {
namespace {

constexpr std::int64_t kLargestExactReal = std::int64_t{1} << 53;

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_power(std::string_view text) {
  const auto caret = text.find('^');
  if (caret == std::string_view::npos) return std::nullopt;
  const auto base = parse_number<std::int64_t>(text.substr(0, caret));
  const auto exponent = parse_number<std::int64_t>(text.substr(caret + 1));
  if (!base || !exponent || *exponent < 0 || *exponent > 63) return std::nullopt;
  std::int64_t power = 1;
  for (std::int64_t i = 0; i < *exponent; ++i) {
    if (__builtin_mul_overflow(power, *base, &power)) return std::nullopt;
  }
  return power;
}

// "4096", "2^28", "1e6".
std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (const auto plain = parse_number<std::int64_t>(text)) return plain;
  if (const auto power = parse_power(text)) return power;
  const auto real = parse_number<double>(text);
  if (!real || !(std::abs(*real) <= static_cast<double>(kLargestExactReal))) return std::nullopt;
  const auto integer = static_cast<std::int64_t>(*real);
  if (static_cast<double>(integer) != *real) return std::nullopt;
  return integer;
}

class Resolver {
 public:
  explicit Resolver(const KernelDescription& kernel)
      : kernel_(kernel), values_(kernel.axes.size()) {}

  void set(const std::string& name, const std::string& text) {
    const Axis* axis = kernel_.find_axis(name);
    if (axis == nullptr) unknown(name);
    values_[static_cast<std::size_t>(axis - kernel_.axes.data())] = read(*axis, text);
  }

  Problem finish() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Axis& axis = kernel_.axes[i];
      if (!values_[i] && axis.kind != Axis::Kind::size) values_[i] = axis.default_value;
    }
    fill_sizes();
    Problem problem;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      problem.axes.emplace_back(kernel_.axes[i].name, *values_[i]);
    }
    return problem;
  }

 private:
  [[noreturn]] void unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const Axis& axis : kernel_.axes) known.push_back(axis.name);
    const auto near = expr::nearest_name(name, known);
    throw TunerError(
        fmt::format("the kernel {} has no problem axis '{}'{}; it has: {}", kernel_.name, name,
                    near ? fmt::format("; did you mean '{}'?", *near) : "", fmt::join(known, " ")));
  }

  [[noreturn]] void refuse(const Axis& axis, std::string_view value, std::string_view needs) const {
    throw TunerError(
        fmt::format("{}: the axis {} cannot be {}: {}", kernel_.name, axis.name, value, needs));
  }

  Value checked_size(const Axis& axis, std::int64_t size, std::string_view text) const {
    if (size < std::max<std::int64_t>(1, axis.min) || size > axis.max) {
      refuse(axis, text,
             fmt::format("use an integer from {} to {}", std::max<std::int64_t>(1, axis.min),
                         axis.max));
    }
    return size;
  }

  Value read(const Axis& axis, const std::string& text) const {
    if (axis.kind == Axis::Kind::size) {
      const auto size = parse_integer(text);
      // Whatever is not an integer of 64 bits is refused like one out of range.
      return checked_size(axis, size.value_or(0), text.empty() ? "empty" : text);
    }
    if (axis.kind == Axis::Kind::number) {
      const auto real = parse_number<double>(text);
      if (!real || !std::isfinite(*real)) refuse(axis, text, "use a finite number");
      return *real;
    }
    std::vector<std::string> known;
    for (const Value& value : axis.values) {
      known.push_back(to_string(value));
      if (known.back() == text) return value;
    }
    refuse(axis, text, fmt::format("use one of: {}", fmt::join(known, " ")));
  }

  // Defaults may refer to axes that come later, so that they are filled in as they become known.
  void fill_sizes() {
    expr::Scope scope;
    for (const Axis& axis : kernel_.axes) add_to(scope, axis);
    std::vector<expr::Expression> defaults;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i]) continue;
      open.push_back(i);
      defaults.push_back(compile(kernel_.axes[i].default_size, scope));
    }
    std::vector<bool> done(open.size(), false);
    for (std::size_t left = open.size(); left > 0;) {
      const std::size_t before = left;
      for (std::size_t j = 0; j < open.size(); ++j) {
        if (done[j] || !ready(defaults[j])) continue;
        values_[open[j]] = default_size(kernel_.axes[open[j]], defaults[j], scope);
        done[j] = true;
        --left;
      }
      if (left == before) cycle(open, done);
    }
  }

  [[noreturn]] void cycle(const std::vector<std::size_t>& open,
                          const std::vector<bool>& done) const {
    const auto first = std::find(done.begin(), done.end(), false) - done.begin();
    kernel_.fail(kernel_.axes[open[static_cast<std::size_t>(first)]].default_size.pointer,
                 "the default depends on itself; give the axis a value");
  }

  void add_to(expr::Scope& scope, const Axis& axis) const {
    try {
      scope.add(axis.name, axis.type());
    } catch (const TunerError& error) {
      kernel_.fail(axis.pointer + "/name", error.what());
    }
  }

  expr::Expression compile(const Text& text, const expr::Scope& scope) const {
    try {
      expr::Expression result = expr::Expression::compile(text.text, scope);
      if (result.type() != Type::integer) kernel_.fail(text.pointer, "a size is an integer");
      return result;
    } catch (const expr::ExpressionError& error) {
      kernel_.fail(text.pointer, error.what());
    }
  }

  bool ready(const expr::Expression& expression) const {
    return std::all_of(expression.slots().begin(), expression.slots().end(), [&](int slot) {
      return values_[static_cast<std::size_t>(slot)].has_value();
    });
  }

  Value default_size(const Axis& axis, const expr::Expression& expression,
                     const expr::Scope& scope) const {
    std::vector<expr::Cell> cells(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i]) cells[i] = scope.encode(*values_[i], scope.type(static_cast<int>(i)));
    }
    try {
      const std::int64_t size = expression.integer(cells);
      return checked_size(axis, size, fmt::format("{} (its default)", size));
    } catch (const expr::ExpressionError& error) {
      kernel_.fail(axis.default_size.pointer, error.what());
    }
  }

  const KernelDescription& kernel_;
  std::vector<std::optional<Value>> values_;
};

}  // namespace

const Value* Problem::find(std::string_view name) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == name; });
  return found == axes.end() ? nullptr : &found->second;
}

std::string to_string(const Problem& problem) {
  std::string text;
  for (const auto& [name, value] : problem.axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_string(value));
  }
  return text;
}

Problem resolve_problem(const KernelDescription& kernel,
                        std::span<const std::pair<std::string, std::string>> given) {
  Resolver resolver(kernel);
  for (const auto& [name, text] : given) resolver.set(name, text);
  return resolver.finish();
}

}  // namespace tuner
