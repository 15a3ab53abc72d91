#include "expr/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "expr/operators.h"

namespace tuner::expr {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

std::string who(const Call& call) { return fmt::format("{}()", call.name); }

Part choose(Builder& builder, const Call& call, NumericOps ops) {
  for (const Part& argument : call.arguments) require_number(builder, argument, who(call));
  // From the last to the first, as temporaries are a stack.
  Part result = call.arguments.back();
  for (std::size_t i = call.arguments.size() - 1; i-- > 0;) {
    result = combine(builder, ops, call.arguments[i], result, call.position);
  }
  return result;
}

Part compile_min(Builder& builder, const Call& call) {
  return choose(builder, call, {Op::min_i, Op::min_d});
}

Part compile_max(Builder& builder, const Call& call) {
  return choose(builder, call, {Op::max_i, Op::max_d});
}

Part compile_rounding(Builder& builder, const Call& call) {
  for (const Part& argument : call.arguments) {
    require(builder, argument, Type::integer, who(call));
  }
  const Op op = call.name == "ceil_div" ? Op::ceil_div : Op::round_up;
  return builder.binary(op, Type::integer, call.arguments[0], call.arguments[1], call.position);
}

Part compile_is_pow2(Builder& builder, const Call& call) {
  require(builder, call.arguments[0], Type::integer, who(call));
  return builder.unary(Op::is_pow2, Type::boolean, call.arguments[0], call.position);
}

Part compile_real(Builder& builder, const Call& call) {
  require_number(builder, call.arguments[0], who(call));
  const Op op = call.name == "sqrt" ? Op::sqrt_d : Op::log2_d;
  return builder.unary(op, Type::real, builder.widened(call.arguments[0]), call.position);
}

Part compile_abs(Builder& builder, const Call& call) {
  const Part& argument = call.arguments[0];
  require_number(builder, argument, who(call));
  const Op op = argument.type == Type::real ? Op::abs_d : Op::abs_i;
  return builder.unary(op, argument.type, argument, call.position);
}

Part compile_sizeof(Builder& builder, const Call& call) {
  require(builder, call.arguments[0], Type::text, who(call));
  return builder.unary(Op::size_of, Type::integer, call.arguments[0], call.position);
}

Part compile_to_real(Builder& builder, const Call& call) {
  require_number(builder, call.arguments[0], who(call));
  return builder.widened(call.arguments[0]);
}

Part compile_floor(Builder& builder, const Call& call) {
  const Part& argument = call.arguments[0];
  require_number(builder, argument, who(call));
  if (argument.type == Type::integer) return argument;
  return builder.unary(Op::floor_d, Type::integer, argument, call.position);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"min", 2, kAny, compile_min},
    {"max", 2, kAny, compile_max},
    {"ceil_div", 2, 2, compile_rounding},
    {"round_up", 2, 2, compile_rounding},
    {"is_pow2", 1, 1, compile_is_pow2},
    {"sqrt", 1, 1, compile_real},
    {"log2", 1, 1, compile_real},
    {"abs", 1, 1, compile_abs},
    {"sizeof", 1, 1, compile_sizeof},
    {"to_real", 1, 1, compile_to_real},
    {"floor", 1, 1, compile_floor},
});

}  // namespace

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  names.reserve(kFunctions.size());
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  return names;
}

Part compile_call(Builder& builder, const Function& function, const Call& call) {
  const std::size_t given = call.arguments.size();
  if (given < function.fewest || given > function.most) {
    builder.fail(call.position,
                 fmt::format("{} takes {}{} argument{}, not {}", who(call), function.fewest,
                             function.most == kAny ? " or more" : "",
                             function.fewest == 1 ? "" : "s", given));
  }
  Part result = function.compile(builder, call);
  result.position = call.position;
  return result;
}

}  // namespace tuner::expr
