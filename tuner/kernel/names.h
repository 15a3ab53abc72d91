// The names that a kernel's texts may use when bound to a problem and a device, and the phases in
// which they have values. One Scope serves all texts; which of its names a text may use follows
// from its phase. Built once, then read by any number of threads.
//
// Scoring a space evaluates the same texts for each of its configurations, so there is a second,
// quick form of them: there the names of the problem are constants, and definitions that hang on
// parameters alone are slots behind those of the scope, computed once for a configuration.
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
  // Of quick forms, too: their definitions are known with the parameters.
  Phase phase(int slot) const {
    const auto index = static_cast<std::size_t>(slot);
    return index < phases_.size() ? phases_[index] : Phase::config;
  }

  // Compiles, and checks that only names of `phase` are used; errors name file and pointer.
  // `loops`: the loop variables that stand at `phase` thread.
  expr::Expression expression(const Text& text, Phase phase,
                              std::span<const LoopSpec> loops = {}) const;
  expr::Template pattern(const Text& text, Phase phase) const;

  // The quick form of a text that `expression` took. Its cells are those of the scope, with the
  // definitions that extend() puts behind them.
  expr::Expression quick_expression(const Text& text) const;
  // False, with the cells as they were, where a definition cannot be computed: then no quick form
  // can be evaluated, though texts that do not come to that definition have their values.
  bool extend(std::vector<expr::Cell>& cells) const;
  bool extended(std::span<const expr::Cell> cells) const { return cells.size() > cells_.size(); }

  // Slots.
  int blocks_per_sm = 0, registers = 0;
  int tx = 0, ty = 0, tz = 0, bx = 0, by = 0, bz = 0, tid = 0, lane = 0, warp = 0;

 private:
  int add(const std::string& name, Type type, Phase phase, const std::string& pointer);
  void add_fixed(const std::string& name, std::int64_t value);
  void add_device(const models::DeviceProfile& device);
  void add_loops(const StepSpec& step);
  void add_definitions();
  void add_quick_definition(const DefinitionSpec& definition);
  void check_slots(std::span<const int> slots, const Text& text, Phase phase,
                   std::span<const LoopSpec> loops) const;

  const KernelDescription& kernel_;
  std::shared_ptr<expr::Scope> scope_ = std::make_shared<expr::Scope>();
  std::vector<expr::Cell> cells_;
  std::vector<Phase> phases_;
  std::vector<bool> is_loop_;
  std::unique_ptr<expr::Scope> quick_scope_;
  struct QuickDefinition {
    int slot = 0;
    expr::Expression value;  // may use the slots of those before it
  };
  std::vector<QuickDefinition> quick_definitions_;
};

}  // namespace tuner
