#include "tuner/ptx/walk.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tuner/ptx/atomic_outcome.h"
#include "tuner/ptx/decode.h"
#include "tuner/ptx/instructions.h"
#include "tuner/ptx/integer_arithmetic.h"

namespace tuner::ptx {
namespace {

// The module's variables follow one another far from any buffer.
constexpr std::int64_t kGlobals = std::int64_t{1} << 55;
constexpr std::int64_t kGlobalStep = std::int64_t{1} << 36;

}  // namespace

// What the thread's steps need, looked up once.
struct WalkProgram {
  std::vector<DecodedInstruction> code;
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
    const DecodedInstruction& decoded = program_.code[index];
    Bits guard = known(1);
    if (instruction.guard >= 0) {
      guard = registers_[static_cast<std::size_t>(instruction.guard)];
      if (instruction.guard_negated) guard.value ^= 1U;
    }
    const bool runs = !guard.known || (guard.value & 1U) != 0;
    if (decoded.op == Op::branch) {
      ++walk_.executions[index];
      if (!guard.known) return unknown_branch(at, instruction);
      return runs ? instruction.target : at + 1;
    }
    if (!runs) return at + 1;
    ++walk_.executions[index];
    // A thread that may end here goes on: most do.
    if (decoded.op == Op::stop) {
      return guard.known ? static_cast<int>(function_.code.size()) : at + 1;
    }
    if (decoded.memory) record(at, instruction, *program_.memory[index]);
    compute(instruction, decoded, guard.known);
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
    return at >= size || program_.code[static_cast<std::size_t>(at)].op == Op::stop;
  }

  // The loops that leaving for `to` would leave.
  void mark_unknown(int loop, int to) {
    const bool ends = to >= static_cast<int>(function_.code.size());
    for (; loop >= 0; loop = flow_.loops[static_cast<std::size_t>(loop)].parent) {
      if (!ends && flow_.in_loop(block_of(to), loop)) break;
      walk_.unknown_trips[static_cast<std::size_t>(loop)] = true;
    }
  }

  void compute(const Instruction& instruction, const DecodedInstruction& decoded, bool surely) {
    if (decoded.results.empty()) return;
    if (decoded.op == Op::unpack) return unpack(instruction, decoded);
    Bits result = surely ? evaluate(instruction, decoded) : Bits{};
    NumberType type = decoded.type;
    if (decoded.op == Op::mul_wide || decoded.op == Op::mad_wide) type.bits *= 2;
    if (decoded.op == Op::compare) type.bits = 1;
    if (decoded.op == Op::unknown || decoded.op == Op::parameter) type.bits = 64;
    write(decoded.results.front(), result, type);
    for (std::size_t i = 1; i < decoded.results.size(); ++i) {
      // The second predicate of a comparison is the other's opposite.
      const bool opposite = decoded.op == Op::compare && instruction.operands.size() == 3;
      write(decoded.results[i], {result.value ^ 1U, result.known && opposite}, type);
    }
  }

  // mov.b64 {%r1, %r2}, %rd1: equal parts, the low one first.
  void unpack(const Instruction& instruction, const DecodedInstruction& decoded) {
    const Bits whole = read(instruction, 1);
    const int bits = decoded.type.bits / static_cast<int>(decoded.results.size());
    for (std::size_t i = 0; i < decoded.results.size(); ++i) {
      const int from = std::min(63, static_cast<int>(i) * bits);
      write(decoded.results[i], {whole.value >> from, whole.known}, {bits, false, false});
    }
  }

  Bits pack(const Instruction& instruction, const DecodedInstruction& decoded) const {
    const std::vector<int>& parts = instruction.operands[1].parts;
    if (parts.empty()) return {};
    const int bits = decoded.type.bits / static_cast<int>(parts.size());
    Bits result = known(0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] < 0 || !registers_[static_cast<std::size_t>(parts[i])].known) return {};
      const std::uint64_t part = registers_[static_cast<std::size_t>(parts[i])].value & mask(bits);
      result.value |= part << std::min(63, static_cast<int>(i) * bits);
    }
    return result;
  }

  Bits parameter(const Instruction& instruction, const DecodedInstruction& decoded) const {
    if (instruction.operands.size() < 2) return {};
    const Operand& from = instruction.operands[1];
    const auto found = program_.parameters.find(from.symbol);
    if (found == program_.parameters.end() || from.value != 0 || decoded.results.size() != 1 ||
        found->second >= launch_.arguments.size() || !launch_.arguments[found->second]) {
      return {};
    }
    return known(static_cast<std::uint64_t>(*launch_.arguments[found->second]));
  }

  // "and" of a false one, "or" of a true one are known whatever the other is.
  static Bits logic(const DecodedInstruction& decoded, const Bits& a, const Bits& b) {
    const bool is_and = decoded.op == Op::bit_and;
    if (a.known && b.known) return known(is_and ? a.value & b.value : a.value | b.value);
    const std::uint64_t decisive = is_and ? 0 : mask(decoded.type.bits);
    for (const Bits* one : {&a, &b}) {
      if (one->known && (one->value & mask(decoded.type.bits)) == decisive) return known(decisive);
    }
    return {};
  }

  Bits evaluate(const Instruction& instruction, const DecodedInstruction& decoded) const {
    Bits a = read(instruction, 1);
    const Bits b = read(instruction, 2);
    const Bits c = read(instruction, 3);
    switch (decoded.op) {
      case Op::parameter:
        return parameter(instruction, decoded);
      case Op::pack:
        return pack(instruction, decoded);
      case Op::move:
        return a;  // of mapa, too: the same place in another block of the cluster
      case Op::to_shared:
        a.value -= kSharedWindow;
        return a;
      case Op::from_shared:
        a.value += kSharedWindow;
        return a;
      case Op::bit_and:
      case Op::bit_or:
        return logic(decoded, a, b);
      case Op::select:
        if (!c.known) return {};
        return (c.value & 1U) != 0 ? a : b;
      default:
        break;
    }
    const std::size_t operands = instruction.operands.size();
    if (!a.known || (operands > 2 && !b.known) || (operands > 3 && !c.known)) return {};
    return arithmetic_result(instruction, decoded, a.value, b.value, c.value);
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
    program->code.push_back(decode(instruction));
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
