#include "tuner/kernel/unknown_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tuner/ptx/instructions.h"

namespace tuner {
namespace {

using Amount = double (*)(const ptx::Instruction&);

double flops(const ptx::Instruction& instruction) {
  if (!ptx::is_fma_pipe(instruction)) return 0;
  const double lanes = instruction.opcode.back().ends_with("x2") ? 2 : 1;
  return lanes * (instruction.name() == "fma" || instruction.name() == "mad" ? 2 : 1);
}

double global_bytes(const ptx::Instruction& instruction) {
  const auto use = ptx::memory_use(instruction);
  if (!use) return 0;
  const bool global = use->space == ptx::Space::global || use->space == ptx::Space::generic;
  return global || use->async ? use->width_bytes : 0;
}

class Scaler {
 public:
  Scaler(const ptx::Function& function, const ptx::ControlFlow& flow, const LaunchTrace& trace,
         const std::vector<double>& executions, double threads)
      : function_(function), executions_(executions), threads_(threads), loops_(flow.loops.size()) {
    for (const int block : flow.block_of) {
      int loop = flow.blocks[static_cast<std::size_t>(block)].loop;
      while (loop >= 0 && !trace.unknown_trips[static_cast<std::size_t>(loop)]) {
        loop = flow.loops[static_cast<std::size_t>(loop)].parent;
      }
      owner_.push_back(loop);
    }
    result_.factors.assign(owner_.size(), 1);
  }

  bool any() const {
    return std::any_of(owner_.begin(), owner_.end(), [](int loop) { return loop >= 0; });
  }

  bool scale(Amount amount, double declared, const char* what) {
    std::vector<double> inside(loops_, 0);
    double all = 0;
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      const double work = executions_[i] * amount(function_.code[i]);
      all += work;
      if (owner_[i] >= 0) inside[static_cast<std::size_t>(owner_[i])] += work;
    }
    const auto most = std::max_element(inside.begin(), inside.end());
    if (declared <= 0 || most == inside.end() || *most <= 0 || threads_ <= 0) return false;
    const double left = declared / threads_ - (all - *most);
    const double factor = std::max(1.0, left / *most);
    const auto loop = static_cast<int>(std::distance(inside.begin(), most));
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      if (owner_[i] == loop) result_.factors[i] = factor;
    }
    result_.assumed = fmt::format(
        "the loop with most work, whose end the PTX does not show, runs as often as {} for: {:.4g} "
        "times what was followed; other such loops as followed",
        what, factor);
    return true;
  }

  UnknownLoops take(bool unscaled) {
    result_.unscaled = unscaled;
    return std::move(result_);
  }

 private:
  const ptx::Function& function_;
  const std::vector<double>& executions_;
  double threads_;
  std::size_t loops_;
  std::vector<int> owner_;  // by instruction: the innermost loop of unknown length; -1: none
  UnknownLoops result_;
};

}  // namespace

UnknownLoops scale_unknown_loops(const ptx::Function& function, const ptx::ControlFlow& flow,
                                 const LaunchTrace& trace, const std::vector<double>& executions,
                                 const DeclaredWork& work) {
  Scaler scaler(function, flow, trace, executions, work.threads);
  if (!scaler.any()) return scaler.take(false);
  const bool scaled =
      scaler.scale(flops, work.flops, "the useful FLOPs of `work` ask") ||
      scaler.scale(global_bytes, work.bytes, "the useful bytes of `work` ask") ||
      scaler.scale(global_bytes, work.buffer_bytes, "one pass over all buffers asks");
  return scaler.take(!scaled);
}

}  // namespace tuner
