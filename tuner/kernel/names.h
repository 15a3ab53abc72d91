// The names that a kernel's texts may use when bound to a problem and a device, and the phases in
// which they have values. One Scope serves all texts; which of its names a text may use follows
// from its phase. Built once, then read by any number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expr/expression.h"
#include "models/device_profile.h"
#include "tuner/kernel/description.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

// Each phase knows the names of those before it. problem: axes and device; config: parameters;
// compiled: blocks_per_sm, registers; thread: threadIdx and the like, the launch's loop variables.
enum class Phase { problem, config, compiled, thread };

class Names {
 public:
  Names(const KernelDescription& kernel, const Problem& problem,
        const models::DeviceProfile& device);

  const std::shared_ptr<expr::Scope>& scope() const { return scope_; }
  // Axes and device names filled in.
  const std::vector<expr::Cell>& cells() const { return cells_; }
  Phase phase(int slot) const { return phases_[static_cast<std::size_t>(slot)]; }

  // Compiles, and checks that only names of `phase` are used; errors name file and pointer.
  // `loops`: the loop variables that stand at `phase` thread.
  expr::Expression expression(const Text& text, Phase phase,
                              std::span<const LoopSpec> loops = {}) const;
  expr::Template pattern(const Text& text, Phase phase) const;

  // Slots.
  int blocks_per_sm = 0, registers = 0;
  int tx = 0, ty = 0, tz = 0, bx = 0, by = 0, bz = 0, tid = 0, lane = 0, warp = 0;

 private:
  int add(const std::string& name, Type type, Phase phase, const std::string& pointer);
  void add_fixed(const std::string& name, std::int64_t value);
  void add_device(const models::DeviceProfile& device);
  void add_loops(const StepSpec& step);
  void add_definitions();
  void check_slots(std::span<const int> slots, const Text& text, Phase phase,
                   std::span<const LoopSpec> loops) const;

  const KernelDescription& kernel_;
  std::shared_ptr<expr::Scope> scope_ = std::make_shared<expr::Scope>();
  std::vector<expr::Cell> cells_;
  std::vector<Phase> phases_;
  std::vector<bool> is_loop_;
};

}  // namespace tuner
