// Assembles a Program while its text is parsed: temporaries, constants, folding and jumps. It
// trusts the types that it is told; operators.h and functions.h check them.
//
// Temporaries are a stack: the parts of an expression that are not yet used hold its lower ones,
// and an operation puts its result into the lowest that its operands held.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expr/program.h"

namespace tuner::expr {

// A compiled piece of the text.
struct Part {
  Operand operand;
  Type type = Type::integer;
  std::size_t position = 0;  // where the piece begins in the text
};

class Builder {
 public:
  Builder(std::string_view text, const Scope& scope);

  const Scope& scope() const { return *program_.scope; }
  [[noreturn]] void fail(std::size_t position, const std::string& message) const;

  Part slot(int slot, std::size_t position);
  Part constant(Cell cell, Type type, std::size_t position);
  // The value of a part that is known now.
  std::optional<Cell> known(const Part& part) const;

  // An operation whose errors point at `position`. Constant operands are folded where that
  // succeeds; where it does not, the error belongs to whoever evaluates it.
  Part unary(Op op, Type type, const Part& a, std::size_t position);
  Part binary(Op op, Type type, const Part& a, const Part& b, std::size_t position);
  // `part` as a real; it is an integer or a real.
  Part widened(const Part& part);

  // Short circuits. A branch is opened by its condition, and its value is in its temporary.
  struct Branch {
    std::size_t jump;  // index of the code
    std::uint16_t dst;
    std::size_t position;
  };
  Branch begin_branch(Op jump, const Part& condition);
  Part end_short_circuit(const Branch& branch, const Part& right);  // of and, or

  // c ? a : b is begin_branch(jump_if_false, c), a, begin_otherwise(a), b, end_choice(b).
  struct Otherwise {
    Branch branch;
    Type type;  // of a
  };
  Otherwise begin_otherwise(const Branch& branch, const Part& then);
  Part end_choice(const Otherwise& otherwise, const Part& last);  // a and b unify

  // A part that is parsed though nothing will evaluate it: between the two, what it adds to the
  // program is taken back.
  struct Mark {
    std::size_t code, slots, constants, free;
  };
  Mark mark() const;
  void take_back(const Mark& mark);

  Program finish(const Part& value) &&;

 private:
  std::optional<Cell> folded(Op op, Operand a, Operand b) const;
  void store(Op op, std::uint16_t dst, const Part& value);
  void append(const Instruction& instruction, std::size_t position);
  void release(Operand operand);
  std::uint16_t reserve(std::size_t position);
  void land(std::size_t jump);  // the next instruction is its target
  void thread_jumps();
  void mark_targets();

  Program program_;
  std::size_t free_ = 0;  // the lowest temporary that nobody holds
};

}  // namespace tuner::expr
