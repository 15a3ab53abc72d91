#include "expr/evaluate.h"

#include <fmt/format.h>

#include <cassert>
#include <string>

namespace tuner::expr {
namespace {

std::string describe(Fault fault, const Scope& scope, Cell a) {
  switch (fault) {
    case Fault::overflow:
      return "the result does not fit a 64-bit integer";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::negative_root:
      return fmt::format("square root of the negative number {}", to_string(Value(a.d)));
    case Fault::logarithm_domain:
      return fmt::format("logarithm of {}, which is not positive", to_string(Value(a.d)));
    case Fault::negative_numerator:
      return fmt::format("rounding up needs a number of at least 0, not {}", a.i);
    case Fault::divisor_not_positive:
      return "rounding up needs a positive divisor";
    case Fault::outside_integers:
      return fmt::format("{} does not fit a 64-bit integer", to_string(Value(a.d)));
    case Fault::unknown_type:
      return fmt::format("'{}' is not an element type that sizeof knows",
                         to_string(scope.decode(a, Type::text)));
    case Fault::none:
      break;
  }
  return "no fault";
}

}  // namespace

void throw_fault(const Program& program, std::size_t at, Fault fault, Cell a) {
  throw ExpressionError(program.text, program.positions[at], describe(fault, *program.scope, a));
}

Cell evaluate(const Program& program, std::span<const Cell> cells) {
  assert(program.slots.empty() || static_cast<std::size_t>(program.slots.back()) < cells.size());
  std::array<Cell, kTemporaries> temporaries;  // each is written before it is read
  const std::array<const Cell*, Operand::kBases> bases = {cells.data(), program.constants.data(),
                                                          temporaries.data()};
  const auto read = [&](Operand operand) { return bases[operand.base()][operand.index()]; };

  const Instruction* const code = program.code.data();
  for (const Instruction* at = code;; ++at) {
    const Cell a = read(at->a);
    const Cell b = read(at->b);
    Cell& dst = temporaries[at->dst];
    Fault fault = Fault::none;
    switch (at->op) {
#define TUNER_EXPR_CASE(name)             \
  case Op::name:                          \
    fault = compute<Op::name>(a, b, dst); \
    break;
      TUNER_EXPR_OPERATIONS(TUNER_EXPR_CASE)
#undef TUNER_EXPR_CASE
      case Op::jump:
        at = code + at->target - 1;
        break;
      case Op::jump_if_false:
        dst = a;
        if (a.i == 0) at = code + at->target - 1;
        break;
      case Op::jump_if_true:
        dst = a;
        if (a.i != 0) at = code + at->target - 1;
        break;
      case Op::result:
        return a;
    }
    if (fault != Fault::none) [[unlikely]] {
      throw_fault(program, static_cast<std::size_t>(at - code), fault, a);
    }
  }
}

}  // namespace tuner::expr
