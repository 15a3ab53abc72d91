// An expression's bytecode run on names where values are missing: what is known is computed, the
// rest becomes C++.
#include "expr/cpp_code.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "expr/arithmetic.h"
#include "expr/evaluate.h"

namespace tuner::expr {
namespace {

// Branches on names double what is written; a text that needs more cases than this is no launch
// shape.
constexpr int kMostCases = 256;

// A value that is known, or the C++ for it.
struct Term {
  std::optional<Cell> known;
  std::string code;
};

bool reads_reals(Op op) {
  switch (op) {
    case Op::add_d:
    case Op::sub_d:
    case Op::mul_d:
    case Op::div_d:
    case Op::neg_d:
    case Op::abs_d:
    case Op::min_d:
    case Op::max_d:
    case Op::eq_d:
    case Op::ne_d:
    case Op::lt_d:
    case Op::le_d:
    case Op::sqrt_d:
    case Op::log2_d:
    case Op::floor_d:
      return true;
    default:
      return false;
  }
}

// The functions are those of the generated header's own prelude.
const char* pattern(Op op) {
  switch (op) {
    case Op::widen:
      return "static_cast<double>({0})";
    case Op::add_i:
    case Op::add_d:
      return "({0} + {1})";
    case Op::sub_i:
    case Op::sub_d:
      return "({0} - {1})";
    case Op::mul_i:
    case Op::mul_d:
      return "({0} * {1})";
    case Op::div_i:
    case Op::div_d:
      return "({0} / {1})";
    case Op::mod_i:
      return "({0} % {1})";
    case Op::neg_i:
    case Op::neg_d:
      return "(-{0})";
    case Op::abs_i:
    case Op::abs_d:
      return "absolute({0})";
    case Op::min_i:
    case Op::min_d:
      return "smaller({0}, {1})";
    case Op::max_i:
    case Op::max_d:
      return "larger({0}, {1})";
    case Op::eq_i:
    case Op::eq_d:
      return "({0} == {1})";
    case Op::ne_i:
    case Op::ne_d:
      return "({0} != {1})";
    case Op::lt_i:
    case Op::lt_d:
      return "({0} < {1})";
    case Op::le_i:
    case Op::le_d:
      return "({0} <= {1})";
    case Op::not_b:
      return "(!{0})";
    case Op::ceil_div:
      return "ceil_div({0}, {1})";
    case Op::round_up:
      return "round_up({0}, {1})";
    case Op::is_pow2:
      return "is_pow2({0})";
    case Op::sqrt_d:
      return "square_root({0})";
    case Op::log2_d:
      return "logarithm2({0})";
    case Op::floor_d:
      return "whole({0})";
    default:
      return nullptr;
  }
}

class Writer {
 public:
  Writer(const Program& program, std::span<const std::optional<Cell>> known,
         const std::function<std::string(int)>& name)
      : program_(program), known_(known), name_(name) {}

  std::string write() { return code_of(run(0, std::vector<Term>(kTemporaries)), program_.type); }

 private:
  Term read(Operand operand, const std::vector<Term>& temporaries) const {
    const std::size_t index = operand.index();
    if (operand.is(Operand::constant)) return {program_.constants[index], ""};
    if (operand.is(Operand::temporary)) return temporaries[index];
    if (known_[index]) return {known_[index], ""};
    return {std::nullopt, name_(static_cast<int>(index))};
  }

  static std::string code_of(const Term& term, Type type) {
    if (!term.known) return term.code;
    if (type == Type::boolean) return term.known->i != 0 ? "true" : "false";
    return type == Type::real ? cpp_real(term.known->d) : cpp_integer(term.known->i);
  }

  // What the code from `at` on leaves as the result; both ways where a condition is not known.
  Term run(std::size_t at, std::vector<Term> temporaries) {
    for (;; ++at) {
      const Instruction& one = program_.code[at];
      Term a = read(one.a, temporaries);
      switch (one.op) {
        case Op::result:
          return a;
        case Op::jump:
          at = one.target - std::size_t{1};
          break;
        case Op::jump_if_false:
        case Op::jump_if_true:
          temporaries[one.dst] = a;
          if (!a.known) return fork(one, at, a, temporaries);
          if (takes_jump(one.op, *a.known)) at = one.target - std::size_t{1};
          break;
        default:
          temporaries[one.dst] = operate(one, at, a, read(one.b, temporaries));
      }
    }
  }

  Term fork(const Instruction& one, std::size_t at, const Term& condition,
            std::vector<Term>& temporaries) {
    if (++cases_ > kMostCases) {
      throw ExpressionError(program_.text, program_.positions[at],
                            "this has too many cases to be written out");
    }
    const auto way = [&](bool value) {
      temporaries[one.dst] = {Cell{.i = value ? 1 : 0}, ""};
      const bool jumps = takes_jump(one.op, Cell{.i = value ? 1 : 0});
      return code_of(run(jumps ? one.target : at + 1, temporaries), program_.type);
    };
    const std::string yes = way(true), no = way(false);
    if (yes == no) return {std::nullopt, yes};
    if (program_.type == Type::boolean && yes == "true" && no == "false") return condition;
    if (program_.type == Type::boolean && no == "false") {
      return {std::nullopt, fmt::format("({} && {})", condition.code, yes)};
    }
    if (program_.type == Type::boolean && yes == "true") {
      return {std::nullopt, fmt::format("({} || {})", condition.code, no)};
    }
    return {std::nullopt, fmt::format("({} ? {} : {})", condition.code, yes, no)};
  }

  Term operate(const Instruction& one, std::size_t at, const Term& a, const Term& b) const {
    if (one.op == Op::move) return a;
    if (a.known && b.known) return {compute_known(one.op, at, *a.known, *b.known), ""};
    const char* text = pattern(one.op);
    if (text == nullptr) {
      throw ExpressionError(program_.text, program_.positions[at],
                            "this needs the name of a type that is not known yet");
    }
    const Type type = reads_reals(one.op) ? Type::real : Type::integer;
    return {std::nullopt, fmt::format(fmt::runtime(text), code_of(a, type), code_of(b, type))};
  }

  Cell compute_known(Op op, std::size_t at, Cell a, Cell b) const {
    Cell result{.i = 0};
    Fault fault = Fault::none;
    switch (op) {
#define TUNER_EXPR_CASE(name)                \
  case Op::name:                             \
    fault = compute<Op::name>(a, b, result); \
    break;
      TUNER_EXPR_OPERATIONS(TUNER_EXPR_CASE)
#undef TUNER_EXPR_CASE
      default:
        break;
    }
    if (fault != Fault::none) throw_fault(program_, at, fault, a);
    return result;
  }

  const Program& program_;
  std::span<const std::optional<Cell>> known_;
  const std::function<std::string(int)>& name_;
  int cases_ = 0;
};

}  // namespace

std::string cpp_integer(std::int64_t value) {
  // The smallest one has no literal.
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
  return value < 0 ? fmt::format("({}LL)", value) : fmt::format("{}LL", value);
}

std::string cpp_real(double value) {
  if (std::isinf(value)) return value > 0 ? "__builtin_huge_val()" : "(-__builtin_huge_val())";
  if (std::isnan(value)) return "__builtin_nan(\"\")";
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
  return value < 0 ? "(" + digits + ")" : digits;
}

std::string cpp_code(const Program& program, std::span<const std::optional<Cell>> known,
                     const std::function<std::string(int)>& name) {
  return Writer(program, known, name).write();
}

}  // namespace tuner::expr
