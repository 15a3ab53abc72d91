// The part of BoundKernel that concerns arguments: elements, counts, scalars' values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/error.h"
#include "tuner/kernel/bound_kernel.h"

namespace tuner {
namespace {

using Kind = ArgumentSpec::Kind;

constexpr std::string_view kTypes = "f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64";
constexpr std::array<std::string_view, 7> kInits = {"uniform",     "normal",    "constant", "index",
                                                    "permutation", "clustered", "file"};

bool is_real_type(std::string_view type) { return type.starts_with("f") || type == "bf16"; }

// The least and the largest value of an integer type, as far as 64 signed bits go.
std::pair<std::int64_t, std::int64_t> limits_of(std::string_view type) {
  const std::int64_t bits = 8 * expr::size_of_type(type).value_or(8);
  const bool is_signed = type.starts_with("i");
  if (bits == 64) {
    return {is_signed ? std::numeric_limits<std::int64_t>::min() : 0,
            std::numeric_limits<std::int64_t>::max()};
  }
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

Value as_real(const Value& value, std::string_view type) {
  const double real = type_of(value) == Type::integer
                          ? static_cast<double>(std::get<std::int64_t>(value))
                          : std::get<double>(value);
  return type == "f32" ? static_cast<double>(static_cast<float>(real)) : real;
}

}  // namespace

void BoundKernel::bind_arguments() {
  for (const ArgumentSpec& spec : description.arguments) arguments.push_back(bind_argument(spec));
}

BoundArgument BoundKernel::bind_argument(const ArgumentSpec& spec) const {
  BoundArgument bound;
  bound.spec = &spec;
  const bool holds_values = spec.kind == Kind::buffer || spec.kind == Kind::constant;
  if (spec.kind == Kind::scalar || holds_values) resolve_element(bound);
  if (holds_values) {
    bound.count = bind(spec.count, Phase::problem, Type::integer);
    bound.init_kind = bind(spec.init_kind, Phase::problem);
    static_cast<void>(buffer(bound));  // errors at once
  } else if (spec.kind == Kind::workspace) {
    bound.count = bind(spec.count, Phase::compiled, Type::integer);
  } else if (spec.kind == Kind::scalar) {
    bound.value = bind(spec.value, Phase::compiled, std::nullopt);
  }
  for (const Text& text : spec.sizes) {
    bound.sizes.push_back(bind(text, Phase::config, Type::integer));
  }
  for (const Text& text : spec.strides) {
    bound.strides.push_back(bind(text, Phase::config, Type::integer));
  }
  for (const Text& text : spec.box) {
    bound.box.push_back(bind(text, Phase::config, Type::integer));
  }
  return bound;
}

void BoundKernel::resolve_element(BoundArgument& bound) const {
  const Text& text = bound.spec->element;
  if (description.find_axis(text.text) != nullptr) {
    bound.element = to_string(*problem.find(text.text));
  } else if (const auto slot = names.scope()->find(text.text);
             slot && names.phase(*slot) == Phase::config) {
    if (bound.spec->kind != Kind::scalar) {
      description.fail(text.pointer,
                       "buffers are the same for all configurations: a parameter cannot decide "
                       "their element; use an axis");
    }
    bound.parameter = *slot;
    return;
  } else {
    bound.element = text.text;
  }
  if (!expr::size_of_type(bound.element)) {
    description.fail(text.pointer,
                     fmt::format("'{}' is neither an axis, a parameter nor a type: use {}",
                                 bound.element, kTypes));
  }
}

const BoundArgument& BoundKernel::argument(std::string_view name) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const BoundArgument& a) { return a.spec->name == name; });
  if (found == arguments.end()) description.fail("/arguments", fmt::format("no '{}'", name));
  return *found;
}

BufferSpec BoundKernel::buffer(const BoundArgument& bound) const {
  const ArgumentSpec& spec = *bound.spec;
  BufferSpec result;
  result.name = spec.name;
  result.element = bound.element;
  try {
    result.count = bound.count.integer(names.cells(), 0);
  } catch (const TunerError& error) {
    throw TunerError(
        fmt::format("{}\nwith {}; choose smaller sizes", error.what(), to_string(problem)));
  }
  std::int64_t size = 0;
  if (result.count < 1)
    bound.count.fail(fmt::format("{} elements: at least 1 is needed", result.count));
  if (__builtin_mul_overflow(result.count, *expr::size_of_type(bound.element), &size)) {
    bound.count.fail(fmt::format("{} elements of {} are more bytes than 64 bits can count",
                                 result.count, bound.element));
  }
  result.input = spec.kind == Kind::constant || spec.input;
  result.output = spec.kind == Kind::buffer && spec.output;
  result.init = spec.init;
  result.init.kind = bound.init_kind.render(names.cells());
  if (std::find(kInits.begin(), kInits.end(), result.init.kind) == kInits.end()) {
    bound.init_kind.fail(fmt::format("'{}' is no kind of initial values: use one of {}",
                                     result.init.kind, fmt::join(kInits, " ")));
  }
  if (!result.init.file.empty()) {
    result.init.file = (description.file.parent_path() / result.init.file).string();
  }
  // Buffers of the same kind must not hold the same numbers: A * A hides swapped operands.
  if (result.init.seed == 0) {
    result.init.seed = 1 + static_cast<std::uint64_t>(&spec - description.arguments.data());
  }
  return result;
}

std::string BoundKernel::element(const BoundArgument& bound,
                                 std::span<const expr::Cell> cells) const {
  if (!bound.parameter) return bound.element;
  if (cells.empty()) return "f64";
  const auto slot = static_cast<std::size_t>(*bound.parameter);
  std::string type = to_string(names.scope()->decode(cells[slot], Type::text));
  if (!expr::size_of_type(type)) {
    description.fail(bound.spec->element.pointer, fmt::format("'{}' is no type", type));
  }
  return type;
}

LaunchArgument BoundKernel::scalar(const BoundArgument& bound,
                                   std::span<const expr::Cell> cells) const {
  LaunchArgument result;
  result.kind = LaunchArgument::Kind::scalar;
  result.name = bound.spec->name;
  result.type = element(bound, cells);
  Value value = bound.value.value(cells);
  if (type_of(value) == Type::boolean) value = std::int64_t{std::get<bool>(value) ? 1 : 0};
  const bool real = is_real_type(result.type);
  if (type_of(value) == Type::text || (!real && type_of(value) != Type::integer)) {
    bound.value.fail(fmt::format("{} is no value of type {}", to_string(value), result.type));
  }
  if (real) {
    result.value = as_real(value, result.type);
    return result;
  }
  const auto [low, high] = limits_of(result.type);
  const auto integer = std::get<std::int64_t>(value);
  if (integer < low || integer > high) {
    bound.value.fail(fmt::format("{} does not fit in {}", integer, result.type));
  }
  result.value = integer;
  return result;
}

}  // namespace tuner
