#include "tuner/ptx/decode.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <system_error>

#include "tuner/ptx/instructions.h"

namespace tuner::ptx {
namespace {

NumberType number_type(std::string_view text) {
  if (text == "pred") return {1, false, false};
  if (text.size() < 2 || std::isdigit(static_cast<unsigned char>(text.back())) == 0) return {};
  const char kind = text.front();
  if (kind != 's' && kind != 'u' && kind != 'b' && kind != 'f') return {};
  int bits = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size() || bits < 1 || bits > 64) {
    return {0, false, true};
  }
  return {bits, kind == 's', kind == 'f'};
}

Op multiply_op(const Instruction& instruction, bool add) {
  if (instruction.has("wide")) return add ? Op::mad_wide : Op::mul_wide;
  if (instruction.has("hi")) return add ? Op::unknown : Op::mul_high;
  return add ? Op::mad : Op::mul;
}

Op move_op(const Instruction& instruction) {
  if (instruction.operands.size() < 2) return Op::unknown;
  if (instruction.operands[0].kind == Operand::Kind::vector) return Op::unpack;
  if (instruction.operands[1].kind == Operand::Kind::vector) return Op::pack;
  return Op::move;
}

Op address_op(const Instruction& instruction) {
  if (!std::any_of(instruction.opcode.begin(), instruction.opcode.end(),
                   [](const std::string& part) { return part.starts_with("shared"); })) {
    return Op::move;
  }
  return instruction.has("to") ? Op::to_shared : Op::from_shared;
}

Op integer_op(const Instruction& instruction) {
  static const std::map<std::string_view, Op> ops = {
      {"add", Op::add},        {"sub", Op::sub},         {"div", Op::div},     {"rem", Op::rem},
      {"min", Op::min},        {"max", Op::max},         {"neg", Op::neg},     {"abs", Op::abs},
      {"and", Op::bit_and},    {"or", Op::bit_or},       {"xor", Op::bit_xor}, {"not", Op::bit_not},
      {"shl", Op::shift_left}, {"shr", Op::shift_right}, {"bfe", Op::extract}, {"lop3", Op::lop3},
      {"setp", Op::compare},   {"selp", Op::select}};
  const std::string_view name = instruction.name();
  if (name == "mul" || name == "mad") return multiply_op(instruction, name == "mad");
  if (instruction.has("cc") || instruction.has("sat")) return Op::unknown;
  const auto found = ops.find(name);
  return found == ops.end() ? Op::unknown : found->second;
}

Op op_of(const Instruction& instruction) {
  switch (kind_of(instruction)) {
    case Kind::free:
      if (instruction.name() == "mov") return move_op(instruction);
      if (instruction.name() == "mapa") return Op::move;
      if (instruction.name() == "cvta") return address_op(instruction);
      if (instruction.name() == "cvt") return Op::convert;
      if (instruction.name() == "ld") return Op::parameter;
      return instruction.name() == "st" ? Op::skip : Op::unknown;
    case Kind::integer:
      return integer_op(instruction);
    case Kind::branch:
      if (instruction.name() == "bra") return Op::branch;
      return Op::stop;
    case Kind::store:
    case Kind::async_copy:
    case Kind::barrier:
      return Op::skip;
    case Kind::atomic:
      return instruction.name() == "red" ? Op::skip : Op::unknown;
    default:
      return Op::unknown;
  }
}

// The registers that an instruction writes: its first operand, unless that is what it reads.
std::vector<int> results_of(const Instruction& instruction, Op op) {
  if (op == Op::skip || op == Op::branch || op == Op::stop || instruction.operands.empty()) {
    return {};
  }
  const Operand& first = instruction.operands.front();
  if (first.kind == Operand::Kind::reg) return {first.reg};
  return first.kind == Operand::Kind::vector ? first.parts : std::vector<int>{};
}

}  // namespace

DecodedInstruction decode(const Instruction& instruction) {
  DecodedInstruction decoded;
  decoded.op = op_of(instruction);
  decoded.type = number_type(instruction.opcode.empty() ? "" : instruction.opcode.back());
  if (decoded.op == Op::convert && instruction.opcode.size() >= 3) {
    decoded.source = decoded.type;
    decoded.type = number_type(instruction.opcode[instruction.opcode.size() - 2]);
  }
  if (decoded.op == Op::compare && instruction.opcode.size() >= 3)
    decoded.comparison = instruction.opcode[1];
  const bool no_number =
      decoded.type.bits == 0 || (decoded.type.floating && decoded.op != Op::move);
  const bool no_source =
      decoded.op == Op::convert && (decoded.source.bits == 0 || decoded.source.floating);
  const bool computes =
      decoded.op != Op::skip && decoded.op != Op::branch && decoded.op != Op::stop;
  if (computes && decoded.op != Op::parameter && (no_number || no_source)) decoded.op = Op::unknown;
  decoded.results = results_of(instruction, decoded.op);
  decoded.memory = memory_use(instruction).has_value();
  return decoded;
}

}  // namespace tuner::ptx
