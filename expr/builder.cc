#include "expr/builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "expr/arithmetic.h"

namespace tuner::expr {
namespace {

constexpr const char* kTooLong = "this expression is too long";
constexpr std::size_t kLongestCode = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kLongestText = std::numeric_limits<std::uint32_t>::max();

bool is_conditional(Op op) { return op == Op::jump_if_false || op == Op::jump_if_true; }

}  // namespace

Builder::Builder(std::string_view text, const Scope& scope) {
  program_.text = text;
  program_.scope = &scope;
  if (text.size() > kLongestText) fail(0, kTooLong);
}

void Builder::fail(std::size_t position, const std::string& message) const {
  throw ExpressionError(program_.text, position, message);
}

Part Builder::slot(int slot, std::size_t position) {
  const auto index = static_cast<std::size_t>(slot);
  if (index >= Operand::kIndices) fail(position, "the scope has too many names before this one");
  if (const auto fixed = scope().fixed(slot)) return constant(*fixed, scope().type(slot), position);
  program_.slots.push_back(slot);
  return {Operand(Operand::slot, index), scope().type(slot), position};
}

Part Builder::constant(Cell cell, Type type, std::size_t position) {
  const std::size_t index = program_.constants.size();
  if (index >= Operand::kIndices) fail(position, kTooLong);
  program_.constants.push_back(cell);
  return {Operand(Operand::constant, index), type, position};
}

std::optional<Cell> Builder::known(const Part& part) const {
  if (!part.operand.is(Operand::constant)) return std::nullopt;
  return program_.constants[part.operand.index()];
}

Part Builder::unary(Op op, Type type, const Part& a, std::size_t position) {
  return binary(op, type, a, a, position);
}

Part Builder::binary(Op op, Type type, const Part& a, const Part& b, std::size_t position) {
  if (const auto cell = folded(op, a.operand, b.operand)) return constant(*cell, type, a.position);
  release(a.operand);
  release(b.operand);
  const std::uint16_t dst = reserve(position);
  append({.op = op, .dst = dst, .a = a.operand, .b = b.operand}, position);
  return {Operand(Operand::temporary, dst), type, a.position};
}

Part Builder::widened(const Part& part) {
  return part.type == Type::real ? part : unary(Op::widen, Type::real, part, part.position);
}

Builder::Branch Builder::begin_branch(Op jump, const Part& condition) {
  release(condition.operand);
  const std::uint16_t dst = reserve(condition.position);
  append({.op = jump, .dst = dst, .a = condition.operand, .b = condition.operand},
         condition.position);
  // Either the code that follows is skipped or it overwrites dst, so it may begin there.
  free_ = dst;
  return {.jump = program_.code.size() - 1, .dst = dst, .position = condition.position};
}

Part Builder::end_short_circuit(const Branch& branch, const Part& right) {
  const bool in_place = right.operand.is(Operand::temporary) && right.operand.index() == branch.dst;
  if (!in_place) store(Op::move, branch.dst, right);
  land(branch.jump);
  free_ = branch.dst + std::size_t{1};
  return {Operand(Operand::temporary, branch.dst), Type::boolean, branch.position};
}

Builder::Otherwise Builder::begin_otherwise(const Branch& branch, const Part& then) {
  // Emitted even where the value is in place: end_choice may turn it into widen.
  store(Op::move, branch.dst, then);
  const Operand value(Operand::temporary, branch.dst);
  append({.op = Op::jump, .dst = branch.dst, .a = value, .b = value}, then.position);
  land(branch.jump);
  free_ = branch.dst;
  return {
      .branch = {.jump = program_.code.size() - 1, .dst = branch.dst, .position = branch.position},
      .type = then.type};
}

Part Builder::end_choice(const Otherwise& otherwise, const Part& last) {
  const auto& [jump, dst, position] = otherwise.branch;
  const bool widens_last = otherwise.type == Type::real && last.type == Type::integer;
  const bool widens_then = otherwise.type == Type::integer && last.type == Type::real;
  store(widens_last ? Op::widen : Op::move, dst, last);
  if (widens_then) program_.code[jump - 1].op = Op::widen;
  land(jump);
  free_ = dst + std::size_t{1};
  return {Operand(Operand::temporary, dst), widens_last ? Type::real : last.type, position};
}

Builder::Mark Builder::mark() const {
  return {.code = program_.code.size(),
          .slots = program_.slots.size(),
          .constants = program_.constants.size(),
          .free = free_};
}

void Builder::take_back(const Mark& mark) {
  program_.code.resize(mark.code);
  program_.positions.resize(mark.code);
  program_.slots.resize(mark.slots);
  program_.constants.resize(mark.constants);
  free_ = mark.free;
}

Program Builder::finish(const Part& value) && {
  append({.op = Op::result, .a = value.operand, .b = value.operand}, value.position);
  program_.type = value.type;
  auto& slots = program_.slots;
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  thread_jumps();
  mark_targets();
  return std::move(program_);
}

std::optional<Cell> Builder::folded(Op op, Operand a, Operand b) const {
  if (!a.is(Operand::constant) || !b.is(Operand::constant)) return std::nullopt;
  const Cell left = program_.constants[a.index()];
  const Cell right = program_.constants[b.index()];
  Cell cell{.i = 0};
  const Fault fault = dispatch(op, [&]<Op kOp>() { return compute<kOp>(left, right, cell); });
  return fault == Fault::none ? std::optional(cell) : std::nullopt;
}

void Builder::store(Op op, std::uint16_t dst, const Part& value) {
  append({.op = op, .dst = dst, .a = value.operand, .b = value.operand}, value.position);
}

void Builder::append(const Instruction& instruction, std::size_t position) {
  if (program_.code.size() >= kLongestCode) fail(position, kTooLong);
  program_.code.push_back(instruction);
  program_.positions.push_back(static_cast<std::uint32_t>(position));
}

void Builder::release(Operand operand) {
  if (operand.is(Operand::temporary)) free_ = std::min(free_, operand.index());
}

std::uint16_t Builder::reserve(std::size_t position) {
  if (free_ >= kTemporaries) fail(position, "this expression is nested too deeply");
  return static_cast<std::uint16_t>(free_++);
}

void Builder::land(std::size_t jump) {
  program_.code[jump].target = static_cast<std::uint16_t>(program_.code.size());
}

// In `a and b and c` a false `a` jumps to the jump of `and c`, which it would take as well.
void Builder::thread_jumps() {
  auto& code = program_.code;
  for (std::size_t i = code.size(); i-- > 0;) {
    if (!is_conditional(code[i].op)) continue;
    const Instruction& next = code[code[i].target];
    const bool same_value = next.a.is(Operand::temporary) && next.a.index() == code[i].dst;
    if (next.op == code[i].op && same_value && next.dst == code[i].dst) {
      code[i].target = next.target;
    }
  }
}

void Builder::mark_targets() {
  for (const Instruction& instruction : program_.code) {
    const bool jumps = is_control(instruction.op) && instruction.op != Op::result;
    if (jumps) program_.code[instruction.target].is_target = true;
  }
}

}  // namespace tuner::expr
