#include "tuner/ptx/walk.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tuner/ptx/atomic_outcome.h"
#include "tuner/ptx/instructions.h"

namespace tuner::ptx {
namespace {

// The module's variables follow one another far from any buffer.
constexpr std::int64_t kGlobals = std::int64_t{1} << 55;
constexpr std::int64_t kGlobalStep = std::int64_t{1} << 36;

// Bits of a register, zero-extended, or unknown.
struct Bits {
  std::uint64_t value = 0;
  bool known = false;
};

Bits known(std::uint64_t value) { return {value, true}; }

// What a type tells: its width, and how its bits are read.
struct NumberType {
  int bits = 0;  // 0: no type
  bool is_signed = false, floating = false;
};

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

std::uint64_t mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t as_unsigned(std::uint64_t value, const NumberType& type) {
  return value & mask(type.bits);
}

std::int64_t as_signed(std::uint64_t value, const NumberType& type) {
  const int shift = 64 - std::clamp(type.bits, 1, 64);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

// The value as a 64-bit number, extended as the type says.
std::uint64_t extended(std::uint64_t value, const NumberType& type) {
  return type.is_signed ? static_cast<std::uint64_t>(as_signed(value, type))
                        : as_unsigned(value, type);
}

enum class Op {
  skip,     // nothing that a register would hold
  unknown,  // its results are unknown
  move,
  pack,
  unpack,
  parameter,
  to_shared,
  from_shared,
  convert,
  add,
  sub,
  mul,
  mul_high,
  mul_wide,
  mad,
  mad_wide,
  div,
  rem,
  min,
  max,
  neg,
  abs,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  lop3,
  shift_left,
  shift_right,
  extract,
  compare,
  select,
  branch,
  stop
};

struct Step {
  Op op = Op::unknown;
  NumberType type, source;  // source: of a conversion
  std::string_view comparison;
  std::vector<int> results;
  bool memory = false;
};

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

Step decode(const Instruction& instruction) {
  Step step;
  step.op = op_of(instruction);
  step.type = number_type(instruction.opcode.empty() ? "" : instruction.opcode.back());
  if (step.op == Op::convert && instruction.opcode.size() >= 3) {
    step.source = step.type;
    step.type = number_type(instruction.opcode[instruction.opcode.size() - 2]);
  }
  if (step.op == Op::compare && instruction.opcode.size() >= 3)
    step.comparison = instruction.opcode[1];
  const bool no_number = step.type.bits == 0 || (step.type.floating && step.op != Op::move);
  const bool no_source = step.op == Op::convert && (step.source.bits == 0 || step.source.floating);
  const bool computes = step.op != Op::skip && step.op != Op::branch && step.op != Op::stop;
  if (computes && step.op != Op::parameter && (no_number || no_source)) step.op = Op::unknown;
  step.results = results_of(instruction, step.op);
  step.memory = memory_use(instruction).has_value();
  return step;
}

Bits compare(std::string_view how, const NumberType& type, std::uint64_t a, std::uint64_t b) {
  const bool less = type.is_signed ? as_signed(a, type) < as_signed(b, type)
                                   : as_unsigned(a, type) < as_unsigned(b, type);
  const bool equal = as_unsigned(a, type) == as_unsigned(b, type);
  if (how == "eq") return known(equal ? 1 : 0);
  if (how == "ne") return known(equal ? 0 : 1);
  if (how == "lt" || how == "lo") return known(less ? 1 : 0);
  if (how == "le" || how == "ls") return known(less || equal ? 1 : 0);
  if (how == "gt" || how == "hi") return known(less || equal ? 0 : 1);
  if (how == "ge" || how == "hs") return known(less ? 0 : 1);
  return {};
}

Bits divide(const NumberType& type, std::uint64_t a, std::uint64_t b, bool remainder) {
  if (as_unsigned(b, type) == 0) return {};
  if (!type.is_signed) {
    const std::uint64_t x = as_unsigned(a, type);
    const std::uint64_t y = as_unsigned(b, type);
    return known(remainder ? x % y : x / y);
  }
  const std::int64_t x = as_signed(a, type);
  const std::int64_t y = as_signed(b, type);
  if (y == -1) return known(remainder ? 0 : -static_cast<std::uint64_t>(x));
  return known(static_cast<std::uint64_t>(remainder ? x % y : x / y));
}

// The high 64 bits of a product of 64-bit numbers, by halves.
std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & mask(32);
  const std::uint64_t a1 = a >> 32;
  const std::uint64_t b0 = b & mask(32);
  const std::uint64_t b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t low_middle = a0 * b1 + (middle & mask(32));
  return a1 * b1 + (middle >> 32) + (low_middle >> 32);
}

std::uint64_t multiply_high(const NumberType& type, std::uint64_t a, std::uint64_t b) {
  if (type.bits <= 32) return (extended(a, type) * extended(b, type)) >> type.bits;
  std::uint64_t high = high_half(a, b);
  if (type.is_signed && as_signed(a, type) < 0) high -= b;
  if (type.is_signed && as_signed(b, type) < 0) high -= a;
  return high;
}

std::uint64_t shift(const NumberType& type, std::uint64_t value, std::uint64_t by, bool left) {
  const std::uint64_t amount = by & 0xffffffffU;
  if (left) return amount >= static_cast<std::uint64_t>(type.bits) ? 0 : value << amount;
  if (type.is_signed) {
    return static_cast<std::uint64_t>(as_signed(value, type) >>
                                      std::min<std::uint64_t>(amount, 63));
  }
  return amount >= static_cast<std::uint64_t>(type.bits) ? 0 : as_unsigned(value, type) >> amount;
}

std::uint64_t extract(const NumberType& type, std::uint64_t value, std::uint64_t from,
                      std::uint64_t length) {
  const int begin = static_cast<int>(std::min<std::uint64_t>(from & 0xffU, 63));
  const int bits = static_cast<int>(std::min<std::uint64_t>(length & 0xffU, 64));
  if (bits == 0) return 0;
  const std::uint64_t field = as_unsigned(value, type) >> begin;
  return type.is_signed ? static_cast<std::uint64_t>(as_signed(field, {bits, true, false}))
                        : field & mask(bits);
}

std::uint64_t lookup3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if (((table >> row) & 1U) == 0) continue;
    result |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) & ((row & 1U) != 0 ? c : ~c);
  }
  return result;
}

}  // namespace

// What the thread's steps need, looked up once.
struct WalkProgram {
  std::vector<Step> steps;
  std::vector<std::optional<MemoryUse>> memory;
  std::map<std::string, std::uint64_t, std::less<>> symbols;  // addresses of variables
  std::map<std::string, std::size_t, std::less<>> parameters;
  std::vector<bool> follows_from_atomics;  // by register
};

namespace {

// The registers and counts of one thread.
class Thread {
 public:
  Thread(const Function& function, const ControlFlow& flow, const WalkProgram& program,
         const Launch& launch, const Place& place, const WalkLimits& limits)
      : function_(function),
        flow_(flow),
        program_(program),
        launch_(launch),
        limits_(limits),
        registers_(function.registers.size()),
        stayed_(function.code.size(), 0) {
    walk_.executions.resize(function.code.size());
    walk_.addresses.resize(function.code.size());
    walk_.sources.resize(function.code.size());
    walk_.copy_bytes.resize(function.code.size());
    walk_.unknown_trips.resize(flow.loops.size());
    set_special_registers(place);
  }

  Walk run() {
    std::int64_t left = limits_.steps;
    int at = 0;
    const auto size = static_cast<int>(function_.code.size());
    while (at < size) {
      if (left-- <= 0) {
        run_out(at);
        break;
      }
      at = step(at);
    }
    return std::move(walk_);
  }

 private:
  void set_special_registers(const Place& place) {
    const std::int64_t x = std::max<std::int64_t>(launch_.block[0], 1);
    const std::int64_t y = std::max<std::int64_t>(launch_.block[1], 1);
    const std::array<std::int64_t, 3> thread = {place.thread % x, place.thread / x % y,
                                                place.thread / x / y};
    const std::map<std::string_view, const std::array<std::int64_t, 3>*> vectors = {
        {"%tid.", &thread},
        {"%ntid.", &launch_.block},
        {"%ctaid.", &place.block_index},
        {"%nctaid.", &launch_.grid}};
    for (std::size_t i = 0; i < registers_.size(); ++i) {
      const std::string_view name = function_.registers[i];
      if (name == "%laneid") registers_[i] = known(static_cast<std::uint64_t>(place.thread % 32));
      if (name == "%warpid") registers_[i] = known(static_cast<std::uint64_t>(place.thread / 32));
      if (name == "WARP_SZ") registers_[i] = known(32);
      for (const auto& [prefix, values] : vectors) {
        if (!name.starts_with(prefix) || name.size() != prefix.size() + 1) continue;
        const auto axis = static_cast<std::size_t>(name.back() - 'x');
        if (axis < 3) registers_[i] = known(static_cast<std::uint64_t>((*values)[axis]));
      }
    }
  }

  // Every loop around is of unknown length.
  void run_out(int at) {
    walk_.complete = false;
    int loop = flow_.blocks[static_cast<std::size_t>(block_of(at))].loop;
    for (; loop >= 0; loop = flow_.loops[static_cast<std::size_t>(loop)].parent) {
      walk_.unknown_trips[static_cast<std::size_t>(loop)] = true;
    }
  }

  int block_of(int instruction) const {
    return flow_.block_of[static_cast<std::size_t>(instruction)];
  }

  Bits read(const Instruction& instruction, std::size_t operand) const {
    if (operand >= instruction.operands.size()) return {};
    const Operand& from = instruction.operands[operand];
    switch (from.kind) {
      case Operand::Kind::immediate:
        return known(static_cast<std::uint64_t>(from.value));
      case Operand::Kind::reg: {
        Bits bits = registers_[static_cast<std::size_t>(from.reg)];
        if (from.negated) bits.value ^= 1U;
        return bits;
      }
      case Operand::Kind::symbol: {
        const auto found = program_.symbols.find(from.symbol);
        if (found == program_.symbols.end()) return {};
        return known(found->second + static_cast<std::uint64_t>(from.value));
      }
      default:
        return {};
    }
  }

  void write(int reg, const Bits& bits, const NumberType& type) {
    if (reg < 0) return;
    registers_[static_cast<std::size_t>(reg)] = {bits.value & mask(type.bits), bits.known};
  }

  std::int64_t address(const Instruction& instruction, std::size_t operand) const {
    const Operand& at = instruction.operands[operand];
    Bits base;
    if (at.kind != Operand::Kind::address) return kUnknownAddress;
    if (at.reg >= 0) {
      base = registers_[static_cast<std::size_t>(at.reg)];
    } else if (const auto found = program_.symbols.find(at.symbol);
               found != program_.symbols.end()) {
      base = known(found->second);
    }
    const auto sum = static_cast<std::int64_t>(base.value + static_cast<std::uint64_t>(at.value));
    return base.known && sum >= 0 ? sum : kUnknownAddress;
  }

  void record(int at, const Instruction& instruction, const MemoryUse& use) {
    const auto index = static_cast<std::size_t>(at);
    if (walk_.addresses[index].size() < limits_.addresses) {
      walk_.addresses[index].push_back(address(instruction, use.address));
      if (use.async) walk_.sources[index].push_back(address(instruction, use.from));
    }
    if (use.async) {
      const Bits size = read(instruction, kSizeOperand);
      if (size.known) walk_.copy_bytes[index] = static_cast<std::int64_t>(size.value & mask(32));
    }
  }

  // The index of the next instruction.
  int step(int at) {
    const auto index = static_cast<std::size_t>(at);
    const Instruction& instruction = function_.code[index];
    const Step& step = program_.steps[index];
    Bits guard = known(1);
    if (instruction.guard >= 0) {
      guard = registers_[static_cast<std::size_t>(instruction.guard)];
      if (instruction.guard_negated) guard.value ^= 1U;
    }
    const bool runs = !guard.known || (guard.value & 1U) != 0;
    if (step.op == Op::branch) {
      ++walk_.executions[index];
      if (!guard.known) return unknown_branch(at, instruction);
      return runs ? instruction.target : at + 1;
    }
    if (!runs) return at + 1;
    ++walk_.executions[index];
    // A thread that may end here goes on: most do.
    if (step.op == Op::stop) {
      return guard.known ? static_cast<int>(function_.code.size()) : at + 1;
    }
    if (step.memory) record(at, instruction, *program_.memory[index]);
    compute(instruction, step, guard.known);
    return at + 1;
  }

  // One iteration of a loop whose end is unknown; else what is jumped over is taken to run.
  int unknown_branch(int at, const Instruction& instruction) {
    const auto size = static_cast<int>(function_.code.size());
    const int loop = flow_.blocks[static_cast<std::size_t>(block_of(at))].loop;
    const auto stays = [&](int to) { return to < size && flow_.in_loop(block_of(to), loop); };
    const bool jump_stays = loop >= 0 && stays(instruction.target);
    const bool fall_stays = loop >= 0 && stays(at + 1);
    if (loop >= 0 && jump_stays != fall_stays) {
      mark_unknown(loop, jump_stays ? at + 1 : instruction.target);
      const int stay = jump_stays ? instruction.target : at + 1;
      const int leave = jump_stays ? at + 1 : instruction.target;
      const int header = flow_.loops[static_cast<std::size_t>(loop)].header;
      if (stay < size && block_of(stay) == header) return leave;
      return stayed_[static_cast<std::size_t>(at)]++ == 0 ? stay : leave;
    }
    if (instruction.target <= at) {
      // A branch back that both ways stay in the loop, or that is in none: once around is enough.
      if (loop >= 0) walk_.unknown_trips[static_cast<std::size_t>(loop)] = true;
      return at + 1;
    }
    if (program_.follows_from_atomics[static_cast<std::size_t>(instruction.guard)]) {
      ++walk_.atomic_branches;
      return ends_soon(at + 1) ? at + 1 : instruction.target;
    }
    ++walk_.unknown_branches;
    return at + 1;
  }

  // Nothing but the thread's end follows in this block.
  bool ends_soon(int at) const {
    const auto size = static_cast<int>(function_.code.size());
    return at >= size || program_.steps[static_cast<std::size_t>(at)].op == Op::stop;
  }

  // The loops that leaving for `to` would leave.
  void mark_unknown(int loop, int to) {
    const bool ends = to >= static_cast<int>(function_.code.size());
    for (; loop >= 0; loop = flow_.loops[static_cast<std::size_t>(loop)].parent) {
      if (!ends && flow_.in_loop(block_of(to), loop)) break;
      walk_.unknown_trips[static_cast<std::size_t>(loop)] = true;
    }
  }

  void compute(const Instruction& instruction, const Step& step, bool surely) {
    if (step.results.empty()) return;
    if (step.op == Op::unpack) return unpack(instruction, step);
    Bits result = surely ? evaluate(instruction, step) : Bits{};
    NumberType type = step.type;
    if (step.op == Op::mul_wide || step.op == Op::mad_wide) type.bits *= 2;
    if (step.op == Op::compare) type.bits = 1;
    if (step.op == Op::unknown || step.op == Op::parameter) type.bits = 64;
    write(step.results.front(), result, type);
    for (std::size_t i = 1; i < step.results.size(); ++i) {
      // The second predicate of a comparison is the other's opposite.
      const bool opposite = step.op == Op::compare && instruction.operands.size() == 3;
      write(step.results[i], {result.value ^ 1U, result.known && opposite}, type);
    }
  }

  // mov.b64 {%r1, %r2}, %rd1: equal parts, the low one first.
  void unpack(const Instruction& instruction, const Step& step) {
    const Bits whole = read(instruction, 1);
    const int bits = step.type.bits / static_cast<int>(step.results.size());
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const int from = std::min(63, static_cast<int>(i) * bits);
      write(step.results[i], {whole.value >> from, whole.known}, {bits, false, false});
    }
  }

  Bits pack(const Instruction& instruction, const Step& step) const {
    const std::vector<int>& parts = instruction.operands[1].parts;
    if (parts.empty()) return {};
    const int bits = step.type.bits / static_cast<int>(parts.size());
    Bits result = known(0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] < 0 || !registers_[static_cast<std::size_t>(parts[i])].known) return {};
      const std::uint64_t part = registers_[static_cast<std::size_t>(parts[i])].value & mask(bits);
      result.value |= part << std::min(63, static_cast<int>(i) * bits);
    }
    return result;
  }

  Bits parameter(const Instruction& instruction, const Step& step) const {
    if (instruction.operands.size() < 2) return {};
    const Operand& from = instruction.operands[1];
    const auto found = program_.parameters.find(from.symbol);
    if (found == program_.parameters.end() || from.value != 0 || step.results.size() != 1 ||
        found->second >= launch_.arguments.size() || !launch_.arguments[found->second]) {
      return {};
    }
    return known(static_cast<std::uint64_t>(*launch_.arguments[found->second]));
  }

  // "and" of a false one, "or" of a true one are known whatever the other is.
  static Bits logic(const Step& step, const Bits& a, const Bits& b) {
    const bool is_and = step.op == Op::bit_and;
    if (a.known && b.known) return known(is_and ? a.value & b.value : a.value | b.value);
    const std::uint64_t decisive = is_and ? 0 : mask(step.type.bits);
    for (const Bits* one : {&a, &b}) {
      if (one->known && (one->value & mask(step.type.bits)) == decisive) return known(decisive);
    }
    return {};
  }

  Bits evaluate(const Instruction& instruction, const Step& step) const {
    const Bits a = read(instruction, 1);
    const Bits b = read(instruction, 2);
    const Bits c = read(instruction, 3);
    switch (step.op) {
      case Op::parameter:
        return parameter(instruction, step);
      case Op::pack:
        return pack(instruction, step);
      case Op::bit_and:
      case Op::bit_or:
        return logic(step, a, b);
      case Op::select:
        if (!c.known) return {};
        return (c.value & 1U) != 0 ? a : b;
      default:
        break;
    }
    if (!a.known) return {};
    return instruction.operands.size() < 3 ? unary(step, a.value)
                                           : several(instruction, step, a, b, c);
  }

  static Bits unary(const Step& step, std::uint64_t a) {
    switch (step.op) {
      case Op::move:
        return known(a);
      case Op::to_shared:
        return known(a - kSharedWindow);
      case Op::from_shared:
        return known(a + kSharedWindow);
      case Op::convert:
        return known(extended(a, step.source));
      case Op::neg:
        return known(-a);
      case Op::abs: {
        const std::int64_t value = as_signed(a, step.type);
        return known(value < 0 ? -static_cast<std::uint64_t>(value)
                               : static_cast<std::uint64_t>(value));
      }
      case Op::bit_not:
        return known(~a);
      default:
        return {};
    }
  }

  static Bits several(const Instruction& instruction, const Step& step, const Bits& first,
                      const Bits& second, const Bits& third) {
    if (step.op == Op::move) return first;  // mapa: the same place in another block of the cluster
    if (!second.known) return {};
    const NumberType& type = step.type;
    const std::uint64_t a = first.value;
    const std::uint64_t b = second.value;
    const bool three = instruction.operands.size() > 3;
    if (three && !third.known) return {};
    const std::uint64_t c = third.value;
    switch (step.op) {
      case Op::add:
        return known(a + b);
      case Op::sub:
        return known(a - b);
      case Op::mul:
        return known(a * b);
      case Op::mad:
        return known(a * b + c);
      case Op::mul_high:
        return known(multiply_high(type, a, b));
      case Op::mul_wide:
        return known(extended(a, type) * extended(b, type));
      case Op::mad_wide:
        return known(extended(a, type) * extended(b, type) + c);
      case Op::div:
        return divide(type, a, b, false);
      case Op::rem:
        return divide(type, a, b, true);
      case Op::min:
        return known((compare("lt", type, a, b).value != 0) ? a : b);
      case Op::max:
        return known((compare("lt", type, a, b).value != 0) ? b : a);
      case Op::bit_xor:
        return known(a ^ b);
      case Op::shift_left:
        return known(shift(type, a, b, true));
      case Op::shift_right:
        return known(shift(type, a, b, false));
      case Op::extract:
        return three ? known(extract(type, a, b, c)) : Bits{};
      case Op::lop3:
        return lop3(instruction, a, b, c);
      case Op::compare:
        return three ? Bits{} : compare(step.comparison, type, a, b);
      default:
        return {};
    }
  }

  static Bits lop3(const Instruction& instruction, std::uint64_t a, std::uint64_t b,
                   std::uint64_t c) {
    if (instruction.operands.size() != 5) return {};
    return known(lookup3(a, b, c, static_cast<std::uint64_t>(instruction.operands[4].value)));
  }

  const Function& function_;
  const ControlFlow& flow_;
  const WalkProgram& program_;
  const Launch& launch_;
  const WalkLimits& limits_;
  std::vector<Bits> registers_;
  std::vector<int> stayed_;  // how often an unknown branch went on in its loop
  Walk walk_;
};

}  // namespace

Walker::Walker(const Function& function, const ControlFlow& flow)
    : function_(function), flow_(flow) {
  auto program = std::make_unique<WalkProgram>();
  for (const Instruction& instruction : function.code) {
    program->steps.push_back(decode(instruction));
    program->memory.push_back(memory_use(instruction));
  }
  for (const Variable& variable : function.shared) {
    program->symbols[variable.name] = static_cast<std::uint64_t>(variable.offset);
  }
  for (std::size_t i = 0; i < function.globals.size(); ++i) {
    program->symbols[function.globals[i]] =
        static_cast<std::uint64_t>(kGlobals + static_cast<std::int64_t>(i) * kGlobalStep);
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    program->parameters[function.parameters[i]] = i;
  }
  program->follows_from_atomics = follows_from_atomics(function);
  program_ = std::move(program);
}

Walker::~Walker() = default;

Walk Walker::walk(const Launch& launch, const Place& place, const WalkLimits& limits) const {
  if (function_.code.empty()) return {};
  return Thread(function_, flow_, *program_, launch, place, limits).run();
}

}  // namespace tuner::ptx
