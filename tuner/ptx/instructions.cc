#include "tuner/ptx/instructions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace tuner::ptx {
namespace {

template <std::size_t size>
bool any_of(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 8> kFmaPipe = {"fma", "mad", "add", "sub",
                                                      "mul", "neg", "abs", "copysign"};
constexpr std::array<std::string_view, 10> kSpecial = {"div", "sqrt", "rsqrt", "rcp",  "sin",
                                                       "cos", "lg2",  "ex2",   "tanh", "rem"};
constexpr std::array<std::string_view, 5> kTensor = {"mma", "wmma", "wgmma", "ldmatrix", "tcgen05"};
constexpr std::array<std::string_view, 6> kShuffle = {"shfl",  "vote",       "match",
                                                      "redux", "activemask", "elect"};
constexpr std::array<std::string_view, 5> kBranch = {"bra", "brx", "ret", "exit", "trap"};
constexpr std::array<std::string_view, 32> kInteger = {
    "add", "sub", "mul",  "mad",  "mul24", "mad24", "sad",  "div",  "rem",  "abs", "neg",
    "min", "max", "popc", "clz",  "bfind", "fns",   "brev", "bfe",  "bfi",  "and", "or",
    "xor", "not", "cnot", "lop3", "shf",   "shl",   "shr",  "prmt", "setp", "selp"};

bool is_floating(std::string_view type) {
  return type.size() >= 2 && (type.front() == 'f' || type.starts_with("bf")) &&
         std::isdigit(static_cast<unsigned char>(type.back())) != 0;
}

std::string_view type_of(const Instruction& instruction) {
  return instruction.opcode.empty() ? std::string_view() : instruction.opcode.back();
}

// "v4" -> 4, "f32" -> 32, "f16x2" -> 32.
int digits_of(std::string_view text) {
  const auto begin = std::find_if(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  int value = 0;
  std::from_chars(text.data() + (begin - text.begin()), text.data() + text.size(), value);
  return text.ends_with("x2") ? 2 * value : value;
}

int width_of(const Instruction& instruction) {
  int lanes = 1;
  for (const std::string& part : instruction.opcode) {
    if (part == "v2" || part == "v4" || part == "v8") lanes = digits_of(part);
  }
  return std::clamp(lanes * digits_of(type_of(instruction)) / 8, 0, 32);
}

Space space_of(const Instruction& instruction) {
  for (const std::string& part : instruction.opcode) {
    if (part == "global") return Space::global;
    if (part.starts_with("shared")) return Space::shared;
    if (part == "local") return Space::local;
    if (part == "const") return Space::constant;
  }
  return Space::generic;
}

Kind arithmetic_kind(const Instruction& instruction) {
  const std::string_view name = instruction.name();
  const std::string_view type = type_of(instruction);
  if (any_of(name, kSpecial) && is_floating(type)) return Kind::special;
  if (is_floating(type) && any_of(name, kFmaPipe)) return type == "f64" ? Kind::fp64 : Kind::fp32;
  return any_of(name, kInteger) || name == "set" || name == "slct" ? Kind::integer : Kind::other;
}

Kind conversion_kind(const Instruction& instruction) {
  const auto floating = [](const std::string& part) { return is_floating(part); };
  return std::any_of(instruction.opcode.begin(), instruction.opcode.end(), floating) ? Kind::special
                                                                                     : Kind::free;
}

// The copy's size is an operand: cp.async.ca.shared.global [to], [from], 16.
int async_bytes(const Instruction& instruction) {
  if (instruction.has("bulk") || instruction.operands.size() <= kSizeOperand) return 0;
  const Operand& size = instruction.operands[kSizeOperand];
  return size.kind == Operand::Kind::immediate
             ? static_cast<int>(std::clamp<std::int64_t>(size.value, 0, 16))
             : 0;
}

}  // namespace

Kind kind_of(const Instruction& instruction) {
  const std::string_view name = instruction.name();
  if (name == "ld" || name == "ldu") {
    return instruction.has("param") ? Kind::free : Kind::load;
  }
  if (name == "st") return instruction.has("param") ? Kind::free : Kind::store;
  if (name == "mov" || name == "cvta" || name == "mapa" || name == "isspacep") return Kind::free;
  if (name == "cvt") return conversion_kind(instruction);
  if (name == "atom" || name == "red") return Kind::atomic;
  if (name == "bar" || name == "barrier") {
    return instruction.has("arrive") || instruction.has("warp") ? Kind::other : Kind::barrier;
  }
  if (name == "cp") {
    const bool copies =
        std::any_of(instruction.operands.begin(), instruction.operands.end(),
                    [](const Operand& operand) { return operand.kind == Operand::Kind::address; });
    return copies && !instruction.has("mbarrier") ? Kind::async_copy : Kind::other;
  }
  if (any_of(name, kTensor)) return Kind::tensor;
  if (any_of(name, kShuffle)) return Kind::shuffle;
  if (any_of(name, kBranch)) return Kind::branch;
  if (name == "call") return Kind::call;
  return arithmetic_kind(instruction);
}

std::optional<MemoryUse> memory_use(const Instruction& instruction) {
  MemoryUse use;
  use.space = space_of(instruction);
  use.width_bytes = width_of(instruction);
  switch (kind_of(instruction)) {
    case Kind::load:
      use.load = true;
      use.read_only = instruction.has("nc");
      use.address = 1;
      break;
    case Kind::store:
      use.store = true;
      break;
    case Kind::atomic:
      use.load = use.store = true;
      use.address = instruction.name() == "atom" ? 1 : 0;
      break;
    case Kind::async_copy:
      use.store = true;
      use.async = true;
      use.width_bytes = async_bytes(instruction);
      use.from = 1;
      break;
    default:
      return std::nullopt;
  }
  const std::size_t last = std::max(use.address, use.from);
  if (last >= instruction.operands.size()) return std::nullopt;
  return use;
}

double issue_slots(const Instruction& instruction) {
  const std::string_view type = type_of(instruction);
  const bool wide = type.ends_with("64");
  switch (kind_of(instruction)) {
    case Kind::free:
      return 0;
    case Kind::special:
      return instruction.name() == "cvt" ? 1 : (wide ? 30 : 8);
    case Kind::integer:
      if (instruction.name() == "div" || instruction.name() == "rem") return wide ? 70 : 20;
      if (instruction.has("wide")) return 1;
      if (instruction.name() == "mul" || instruction.name() == "mad") return wide ? 4 : 1;
      return wide ? 2 : 1;
    default:
      return 1;
  }
}

bool is_fma_pipe(const Instruction& instruction) {
  const Kind kind = kind_of(instruction);
  return kind == Kind::fp32 || kind == Kind::fp64;
}

}  // namespace tuner::ptx
