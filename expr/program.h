// The bytecode that an expression compiles to: three-address instructions in which the operands of
// an operation are slots of the scope, constants, or temporaries, so that nothing is loaded first.
//
// `and`, `or` and ?: are forward jumps. Every path to a jump's target leaves its value in the same
// temporary, which is what lets the lane evaluator run the code once, from first to last, with
// lanes that jumped waiting at their target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expr/expression.h"

// X(name) for every operation that only computes: dst = name(a, b), where unary ones ignore b.
// _i works on integers (and on booleans and texts, which are integers in a Cell), _d on doubles.
// clang-format off
#define TUNER_EXPR_OPERATIONS(X)                                                   \
  X(move) X(widen)                                                                 \
  X(add_i) X(sub_i) X(mul_i) X(div_i) X(mod_i) X(neg_i) X(abs_i) X(min_i) X(max_i) \
  X(add_d) X(sub_d) X(mul_d) X(div_d) X(neg_d) X(abs_d) X(min_d) X(max_d)          \
  X(eq_i) X(ne_i) X(lt_i) X(le_i) X(eq_d) X(ne_d) X(lt_d) X(le_d)                  \
  X(not_b) X(ceil_div) X(round_up) X(is_pow2) X(sqrt_d) X(log2_d) X(floor_d) X(size_of)
// clang-format on

namespace tuner::expr {

enum class Op : std::uint8_t {
#define TUNER_EXPR_ENUMERATOR(name) name,
  TUNER_EXPR_OPERATIONS(TUNER_EXPR_ENUMERATOR)
#undef TUNER_EXPR_ENUMERATOR
  // Control, last.
  jump,           // to target
  jump_if_false,  // dst = a; to target where a is false
  jump_if_true,   // dst = a; to target where a is true
  result,         // a is the value of the expression
};

constexpr bool is_control(Op op) { return op >= Op::jump; }

// Whether the jump `op` is taken where its operand is `condition`.
constexpr bool takes_jump(Op op, Cell condition) {
  return op == Op::jump || (condition.i != 0) == (op == Op::jump_if_true);
}

inline constexpr int kTemporaries = 64;  // fits the evaluators' arrays on the stack

class Operand {
 public:
  enum Base : std::uint16_t { slot = 0, constant = 1, temporary = 2 };
  static constexpr int kBases = 3;
  static constexpr std::size_t kIndices = std::size_t{1} << 14U;

  constexpr Operand() = default;
  constexpr Operand(Base base, std::size_t index)
      : bits_(static_cast<std::uint16_t>((base << 14U) | index)) {}

  constexpr std::size_t base() const { return bits_ >> 14U; }
  constexpr std::size_t index() const { return bits_ & (kIndices - 1); }
  constexpr bool is(Base base) const { return this->base() == base; }

 private:
  std::uint16_t bits_ = 0;
};

struct Instruction {
  Op op = Op::result;
  bool is_target = false;  // some jump leads here
  std::uint16_t dst = 0;   // a temporary
  Operand a = {};
  Operand b = {};            // a again where there is none, as both are always read
  std::uint16_t target = 0;  // of a jump: index into Program::code
};

struct Program {
  std::string text;
  const Scope* scope = nullptr;
  Type type = Type::integer;
  std::vector<int> slots;  // read by the code, sorted, each once
  std::vector<Cell> constants;
  std::vector<Instruction> code;         // the last one is `result`
  std::vector<std::uint32_t> positions;  // in the text, of each instruction
};

}  // namespace tuner::expr
