#include "tuner/ptx/atomic_outcome.h"

#include <algorithm>
#include <set>
#include <string>

#include "tuner/ptx/instructions.h"

namespace tuner::ptx {
namespace {

class Spread {
 public:
  explicit Spread(const Function& function)
      : function_(function), follows_(function.registers.size()) {}

  std::vector<bool> run() {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const Instruction& instruction : function_.code) visit(instruction);
    }
    return std::move(follows_);
  }

 private:
  void visit(const Instruction& instruction) {
    if (instruction.operands.empty()) return;
    if (kind_of(instruction) == Kind::store) {
      const std::string& variable = instruction.operands.front().symbol;
      if (!variable.empty() && reads(instruction)) changed_ |= variables_.insert(variable).second;
      return;
    }
    if (instruction.name() == "atom" || reads(instruction) || loads(instruction)) mark(instruction);
  }

  bool reads(const Instruction& instruction) const {
    return std::any_of(instruction.operands.begin() + 1, instruction.operands.end(),
                       [&](const Operand& operand) {
                         return operand.kind == Operand::Kind::reg && follows(operand.reg);
                       });
  }

  bool loads(const Instruction& instruction) const {
    return kind_of(instruction) == Kind::load && instruction.operands.size() > 1 &&
           variables_.contains(instruction.operands[1].symbol);
  }

  bool follows(int reg) const { return reg >= 0 && follows_[static_cast<std::size_t>(reg)]; }

  void mark(const Instruction& instruction) {
    const Operand& result = instruction.operands.front();
    std::vector<int> written = result.parts;
    if (result.kind == Operand::Kind::reg) written = {result.reg};
    for (const int reg : written) {
      if (reg < 0 || follows(reg)) continue;
      follows_[static_cast<std::size_t>(reg)] = true;
      changed_ = true;
    }
  }

  const Function& function_;
  std::vector<bool> follows_;
  std::set<std::string> variables_;  // of shared memory that hold such a value
  bool changed_ = false;
};

}  // namespace

std::vector<bool> follows_from_atomics(const Function& function) { return Spread(function).run(); }

}  // namespace tuner::ptx
