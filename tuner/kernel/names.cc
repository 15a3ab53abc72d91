#include "tuner/kernel/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/error.h"

namespace tuner {
namespace {

std::string_view when_known(Phase phase) {
  switch (phase) {
    case Phase::problem:
      return "always";
    case Phase::config:
      return "where parameters have values";
    case Phase::compiled:
      return "in launches and workspaces, once compiled";
    case Phase::thread:
      return "in a model's accesses";
  }
  return "";
}

}  // namespace

Names::Names(const KernelDescription& kernel, const Problem& problem,
             const models::DeviceProfile& device)
    : kernel_(kernel) {
  add_device(device);
  for (const Axis& axis : kernel.axes) {
    const int slot = add(axis.name, axis.type(), Phase::problem, axis.pointer + "/name");
    const Value* value = problem.find(axis.name);
    if (value == nullptr) throw TunerError(fmt::format("{}: no value for the axis", axis.name));
    cells_[static_cast<std::size_t>(slot)] = scope_->encode(*value, axis.type());
  }
  for (const ParameterSpec& spec : kernel.parameters) {
    add(spec.name, type_of(spec.values.front()), Phase::config, spec.pointer + "/name");
  }
  using Named = std::pair<const char*, int*>;
  for (const auto& [name, slot] :
       {Named{"blocks_per_sm", &blocks_per_sm}, Named{"registers", &registers}}) {
    *slot = add(name, Type::integer, Phase::compiled, "");
  }
  for (auto [name, slot] :
       {Named{"tx", &tx}, Named{"ty", &ty}, Named{"tz", &tz}, Named{"bx", &bx}, Named{"by", &by},
        Named{"bz", &bz}, Named{"tid", &tid}, Named{"lane", &lane}, Named{"warp", &warp}}) {
    *slot = add(name, Type::integer, Phase::thread, "");
  }
  for (const StepSpec& step : kernel.steps) add_loops(step);
  quick_scope_ = expr::Scope::with_slots_of(*scope_);
  for (int slot = 0; slot < scope_->size(); ++slot) {
    if (this->phase(slot) == Phase::problem)
      quick_scope_->fix(slot, cells_[static_cast<std::size_t>(slot)]);
  }
  add_definitions();
}

int Names::add(const std::string& name, Type type, Phase phase, const std::string& pointer) {
  if (scope_->find(name)) {
    std::string place = pointer;  // our own names come after the file's: find whose name it is
    for (const Axis& axis : kernel_.axes) {
      if (axis.name == name) place = axis.pointer + "/name";
    }
    for (const ParameterSpec& spec : kernel_.parameters) {
      if (spec.name == name) place = spec.pointer + "/name";
    }
    kernel_.fail(pointer.empty() ? place : pointer,
                 fmt::format("the name '{}' has a meaning already", name));
  }
  const int slot = scope_->add(name, type);
  cells_.push_back({.i = 0});
  phases_.push_back(phase);
  is_loop_.push_back(false);
  return slot;
}

void Names::add_fixed(const std::string& name, std::int64_t value) {
  const int slot = add(name, Type::integer, Phase::problem, "");
  cells_[static_cast<std::size_t>(slot)].i = value;
}

void Names::add_device(const models::DeviceProfile& device) {
  add_fixed("sm_count", device.sm_count);
  add_fixed("warp_size", 32);
  add_fixed("compute_capability", device.compute_capability);
  add_fixed("max_threads_per_block", device.max_threads_per_block);
  add_fixed("max_threads_per_sm", device.max_threads_per_sm);
  add_fixed("max_shared_per_block",
            std::max(device.shared_per_block, device.shared_per_block_optin));
  add_fixed("max_shared_per_sm", device.shared_per_sm);
  add_fixed("max_registers_per_block", device.registers_per_block);
  add_fixed("l2_bytes", device.l2_bytes);
}

// Launches may share names of loop variables, but not with anything else.
void Names::add_loops(const StepSpec& step) {
  for (std::size_t i = 0; i < step.model.loops.size(); ++i) {
    const LoopSpec& loop = step.model.loops[i];
    const auto known = scope_->find(loop.name);
    if (known && is_loop_[static_cast<std::size_t>(*known)]) continue;
    const int slot = add(loop.name, Type::integer, Phase::thread,
                         fmt::format("{}/model/loops/{}/name", step.pointer, i));
    is_loop_[static_cast<std::size_t>(slot)] = true;
  }
}

// They come last, so that they may use every name.
void Names::add_definitions() {
  for (const DefinitionSpec& definition : kernel_.definitions) {
    try {
      scope_->define(definition.name, definition.value.text);
      add_quick_definition(definition);
    } catch (const TunerError& error) {
      kernel_.fail(definition.value.pointer, error.what());
    }
  }
}

// What hangs on the problem alone becomes a constant, on parameters a slot; the rest stays a text.
void Names::add_quick_definition(const DefinitionSpec& definition) {
  const auto quick = expr::Expression::compile(definition.value.text, *quick_scope_);
  const bool by_parameters =
      std::ranges::all_of(quick.slots(), [&](int slot) { return phase(slot) <= Phase::config; });
  if (!by_parameters) {
    quick_scope_->define(definition.name, definition.value.text);
    return;
  }
  const int slot = quick_scope_->add(definition.name, quick.type());
  try {
    if (quick.slots().empty()) {
      quick_scope_->fix(slot, quick.evaluate(cells_));
      return;
    }
  } catch (const expr::ExpressionError&) {
    // Whoever comes to it says so: extend() will fail.
  }
  quick_definitions_.push_back({slot, quick});
}

expr::Expression Names::quick_expression(const Text& text) const {
  return expr::Expression::compile(text.text, *quick_scope_);
}

bool Names::extend(std::vector<expr::Cell>& cells) const {
  // One more than is needed: so extended cells are longer where nothing is defined, too.
  cells.resize(static_cast<std::size_t>(quick_scope_->size()) + 1);
  try {
    for (const QuickDefinition& definition : quick_definitions_) {
      cells[static_cast<std::size_t>(definition.slot)] = definition.value.evaluate(cells);
    }
  } catch (const expr::ExpressionError&) {
    cells.resize(cells_.size());
    return false;
  }
  return true;
}

void Names::check_slots(std::span<const int> slots, const Text& text, Phase phase,
                        std::span<const LoopSpec> loops) const {
  for (const int slot : slots) {
    const std::string& name = scope_->name(slot);
    const auto index = static_cast<std::size_t>(slot);
    const bool foreign_loop =
        is_loop_[index] && std::none_of(loops.begin(), loops.end(),
                                        [&](const LoopSpec& loop) { return loop.name == name; });
    if (phases_[index] <= phase && !foreign_loop) continue;
    kernel_.fail(text.pointer, fmt::format("'{}' has no value here in \"{}\"; it has one only {}",
                                           name, text.text, when_known(phases_[index])));
  }
}

expr::Expression Names::expression(const Text& text, Phase phase,
                                   std::span<const LoopSpec> loops) const {
  try {
    expr::Expression result = expr::Expression::compile(text.text, *scope_);
    check_slots(result.slots(), text, phase, loops);
    return result;
  } catch (const expr::ExpressionError& error) {
    kernel_.fail(text.pointer, error.what());
  }
}

expr::Template Names::pattern(const Text& text, Phase phase) const {
  try {
    expr::Template result = expr::Template::compile(text.text, *scope_);
    check_slots(result.slots(), text, phase, {});
    return result;
  } catch (const expr::ExpressionError& error) {
    kernel_.fail(text.pointer, error.what());
  }
}

}  // namespace tuner
