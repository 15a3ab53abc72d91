#include "tuner/ptx/dependences.h"

#include <algorithm>
#include <map>
#include <set>

#include "tuner/ptx/instructions.h"

namespace tuner::ptx {
namespace {

const Instruction& at(const Function& function, int index) {
  return function.code[static_cast<std::size_t>(index)];
}

bool reads(const Instruction& instruction, const std::set<int>& registers) {
  for (std::size_t o = 0; o < instruction.operands.size(); ++o) {
    const Operand& operand = instruction.operands[o];
    const bool is_result = o == 0 && operand.kind != Operand::Kind::address;
    if (!is_result && operand.reg >= 0 && registers.contains(operand.reg)) return true;
  }
  return false;
}

// Adds the registers that the instruction writes, or takes them out.
void set_results(const Instruction& instruction, std::set<int>& registers, bool add) {
  if (instruction.operands.empty()) return;
  const Operand& result = instruction.operands.front();
  std::vector<int> written = result.parts;
  if (result.kind == Operand::Kind::reg) written = {result.reg};
  for (const int reg : written) {
    if (add) {
      registers.insert(reg);
    } else {
      registers.erase(reg);
    }
  }
}

bool is_global(const MemoryUse& use) {
  return use.space == Space::global || use.space == Space::generic;
}

bool loads_global(const MemoryUse& use) {
  return use.async ? !is_global(use) : use.load && is_global(use);
}

}  // namespace

FmaChain fma_chain(const Function& function, const Block& block) {
  FmaChain chain;
  std::map<int, int> depth;  // of registers: operations that led to them
  for (int i = block.begin; i < block.end; ++i) {
    const Instruction& instruction = at(function, i);
    int before = 0;
    for (std::size_t o = 1; o < instruction.operands.size(); ++o) {
      const auto found = depth.find(instruction.operands[o].reg);
      if (found != depth.end()) before = std::max(before, found->second);
    }
    if (is_fma_pipe(instruction)) {
      ++chain.operations;
      chain.longest = std::max(chain.longest, ++before);
    }
    if (instruction.operands.empty() || instruction.operands.front().reg < 0) continue;
    if (before > 0) {
      depth[instruction.operands.front().reg] = before;
    } else {
      depth.erase(instruction.operands.front().reg);
    }
  }
  return chain;
}

LoadRuns load_runs(const Function& function, std::span<const Block> blocks) {
  LoadRuns result;
  std::set<int> awaited;  // registers that the run's loads bring, or that follow from them
  bool open = false;
  bool stored = false;
  for (const Block& block : blocks) {
    bool used = false;
    for (int i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = at(function, i);
      const auto use = memory_use(instruction);
      if (kind_of(instruction) == Kind::barrier) open = false;
      if (use && use->store && !use->async && is_global(*use)) stored = true;
      const bool depends = reads(instruction, awaited);
      used |= depends;
      if (!use || !loads_global(*use)) {
        set_results(instruction, awaited, depends);
        continue;
      }
      if (!open || depends || (stored && !use->read_only)) {
        ++result.runs;
        awaited.clear();
        stored = false;
      }
      open = true;
      ++result.loads;
      if (!use->async) result.bytes += use->width_bytes;
      set_results(instruction, awaited, true);
    }
    if (used) open = false;  // here the warp has waited
  }
  return result;
}

}  // namespace tuner::ptx
