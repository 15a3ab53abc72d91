// A kernel as the compiler wrote it in PTX: its instructions in order, with branches resolved.
// Plain data. The language: NVIDIA's "Parallel Thread Execution ISA".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::ptx {

struct Operand {
  enum class Kind {
    reg,        // `reg`
    immediate,  // `value`; of floating-point literals the bits
    symbol,     // `symbol`: a variable, a parameter, a function, a label
    address,    // [reg + value] or [symbol + value]; both -1 and empty: [value]
    vector,     // {a, b, …}: `parts`, -1 where one is no register
    other
  } kind = Kind::other;
  int reg = -1;
  std::int64_t value = 0;
  std::string symbol;
  std::vector<int> parts;  // also the two predicates of p|q
  bool negated = false;    // !p
};

struct Instruction {
  std::vector<std::string> opcode;  // "ld", "global", "nc", "v4", "u32"
  std::vector<Operand> operands;
  int guard = -1;  // the predicate register of @p; -1: none
  bool guard_negated = false;
  int target = -1;  // of a branch: index of the instruction there, code.size() for the end
  int line = 0;     // of the text, from 1

  std::string_view name() const { return opcode.empty() ? std::string_view() : opcode.front(); }
  bool has(std::string_view part) const;
};

struct Variable {
  std::string name;
  std::int64_t bytes = 0;   // 0: as many as the launch gives (extern)
  std::int64_t offset = 0;  // in the block's shared memory
};

struct Function {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> registers;  // names by index; the special ones (%tid.x) among them
  std::vector<Variable> shared;        // those of the module, too
  std::vector<std::string> globals;    // names of the module's .global and .const variables
  std::vector<Instruction> code;
};

// The kernel `entry` (its name in PTX) of a module's text. Instructions that are not known are kept
// as they are. Throws TunerError where there is no such kernel, or where the text is cut off or
// damaged, naming the line.
Function parse_entry(std::string_view text, std::string_view entry);

}  // namespace tuner::ptx
