#include "tuner/kernel/launch_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "expr/error.h"

namespace tuner {
namespace {

using Kind = ArgumentSpec::Kind;

class CodeWriter {
 public:
  CodeWriter(const BoundKernel& kernel, const search::Space& space, const search::Config& config,
             std::span<const CompiledEntry> compiled)
      : kernel_(kernel),
        space_(space),
        compiled_(compiled),
        cells_(space.cells(config)),
        known_(cells_.size()) {
    for (const search::Parameter& parameter : space.parameters()) know(parameter.slot);
    for (const Axis& axis : kernel.description.axes) {
      const bool varies = axis.kind == Axis::Kind::size || axis.kind == Axis::Kind::number;
      if (!varies) know(*kernel.names.scope()->find(axis.name));
    }
    know(*kernel.names.scope()->find("warp_size"));
  }

  ConfigCode write() {
    ConfigCode code;
    code.valid = constraints();
    std::set<std::string> named;
    for (const BoundStep& step : kernel_.steps) {
      resident_.clear();
      const std::string when = text(step.when, "true");
      if (when == "false") continue;
      code.launches.push_back(launch(step, when));
      for (const std::string& name : names_of(*step.spec)) {
        if (named.insert(name).second) add_argument(kernel_.argument(name), code);
      }
    }
    for (const auto& [name, value] : kernel_.defines) {
      code.defines.push_back(fmt::format("{}={}", name, value.render_code(cells_)));
    }
    code.uses_compiled = uses_compiled_;
    return code;
  }

 private:
  void know(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    known_[at] = cells_[at];
  }

  std::string slot_name(int slot) {
    const std::string& name = kernel_.names.scope()->name(slot);
    if (kernel_.names.phase(slot) == Phase::compiled) {
      if (resident_.empty()) {
        throw TunerError(fmt::format(
            "{}: the launches use {}, which only a compiled kernel has, and what this one was "
            "compiled to is not known (results of before hold none of it: tune again)",
            kernel_.description.file.string(), name));
      }
      uses_compiled_ = true;
      return slot == kernel_.names.registers ? registers_ : resident_;
    }
    const bool axis = kernel_.description.find_axis(name) != nullptr;
    return (axis ? "p." : "d.") + name;
  }

  std::string text(const BoundText& bound, const std::string& fallback) {
    if (!bound.given()) return fallback;
    try {
      return bound.expression().cpp(known_, [this](int slot) { return slot_name(slot); });
    } catch (const expr::ExpressionError& error) {
      bound.fail(error.what());
    }
  }

  std::array<std::string, 3> texts(const std::array<BoundText, 3>& bound) {
    return {text(bound[0], "1"), text(bound[1], "1"), text(bound[2], "1")};
  }

  // Those that this configuration decides are gone: it is valid.
  std::string constraints() {
    std::string all;
    for (const search::Constraint& constraint : space_.constraints()) {
      const std::string one =
          constraint.holds.cpp(known_, [this](int slot) { return slot_name(slot); });
      if (one == "true") continue;
      all += (all.empty() ? "" : " && ") + one;
    }
    return all.empty() ? "true" : all;
  }

  static std::vector<std::string> names_of(const StepSpec& step) {
    return step.memset ? std::vector{step.target} : step.arguments;
  }

  // From here on texts may use what the step's own kernel was compiled to.
  void enter(const LaunchCode& code) {
    const auto found = std::ranges::find(compiled_, code.entry, &CompiledEntry::entry);
    if (found == compiled_.end()) return;
    registers_ = std::to_string(found->registers);
    resident_ =
        fmt::format("blocks_per_sm(d, {} * {} * {}, {}, {}, {})", code.block[0], code.block[1],
                    code.block[2], registers_, found->static_shared, code.dynamic_shared);
  }

  LaunchCode launch(const BoundStep& step, const std::string& when) {
    LaunchCode code;
    code.name = step.spec->name;
    code.when = when;
    if (step.spec->memset) {
      const BoundArgument& target = kernel_.argument(step.spec->target);
      code.memset = true;
      code.target = step.spec->target;
      code.value = step.spec->value;
      code.bytes = text(step.bytes, bytes_of(target));
      return code;
    }
    code.entry = step.entry.render_code(cells_);
    code.block = texts(step.block);
    code.cluster = texts(step.cluster);
    code.dynamic_shared = text(step.dynamic_shared, "0");
    enter(code);
    code.grid = texts(step.grid);
    code.cooperative = step.spec->cooperative;
    code.arguments = step.spec->arguments;
    return code;
  }

  std::string bytes_of(const BoundArgument& argument) {
    std::string count = text(argument.count, "0");
    if (argument.spec->kind == Kind::workspace) return count;
    return fmt::format("({} * {})", count, *expr::size_of_type(argument.element));
  }

  void add_argument(const BoundArgument& argument, ConfigCode& code) {
    const std::string& name = argument.spec->name;
    if (argument.spec->kind == Kind::workspace) {
      code.workspaces.push_back({name, text(argument.count, "0"), argument.spec->workspace_init});
    }
    if (argument.spec->kind == Kind::scalar) {
      const std::string type = expr::cpp_type_name(kernel_.element(argument, cells_));
      code.scalars.push_back({name, type, text(argument.value, "0")});
    }
  }

  const BoundKernel& kernel_;
  const search::Space& space_;
  std::span<const CompiledEntry> compiled_;
  std::vector<expr::Cell> cells_;
  std::vector<std::optional<expr::Cell>> known_;
  std::string registers_, resident_;  // of the step's kernel; empty: not known
  bool uses_compiled_ = false;
};

}  // namespace

ConfigCode launch_code(const BoundKernel& kernel, const search::Space& space,
                       const search::Config& config, std::span<const CompiledEntry> compiled) {
  return CodeWriter(kernel, space, config, compiled).write();
}

}  // namespace tuner
