#include "tuner/kernel/bound_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expr/error.h"

namespace tuner {
namespace {

using Kind = ArgumentSpec::Kind;

// A value as a literal of the expression language.
std::string literal(const Value& value) {
  std::string text = to_string(value);
  if (type_of(value) != Type::text) return text;
  const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  return fmt::format("{}{}{}", quote, text, quote);
}

}  // namespace

BoundKernel::BoundKernel(KernelDescription description_in, Problem problem_in,
                         models::DeviceProfile device_in)
    : description(std::move(description_in)),
      problem(std::move(problem_in)),
      device(std::move(device_in)),
      names(description, problem, device) {
  bind_arguments();
  for (const StepSpec& spec : description.steps) steps.push_back(bind_step(spec, Phase::compiled));
  std::size_t accesses = 0;
  for (BoundStep& step : steps) {
    for (BoundAccess& access : step.accesses) access.number = accesses++;
  }
  for (const StepSpec& spec : description.verify.reference) {
    reference.push_back(bind_step(spec, Phase::problem));
  }
  for (const Text& text : description.options) options.push_back(bind(text, Phase::config));
  for (const auto& [name, text] : description.defines) {
    defines.emplace_back(name, bind(text, Phase::config));
  }
  relative = bind(description.verify.relative, Phase::problem, Type::real);
  absolute = bind(description.verify.absolute, Phase::problem, Type::real);
  frobenius = bind(description.verify.frobenius, Phase::problem, Type::real);
  flops = bind(description.flops, Phase::problem, Type::real);
  bytes = bind(description.bytes, Phase::problem, Type::real);
  check_reference();
  check_checks();
  make_space();
}

BoundText BoundKernel::bind(const Text& text, Phase phase, std::optional<Type> wanted,
                            std::span<const LoopSpec> loops) const {
  return {description, names, text, phase, wanted, loops};
}

BoundTemplate BoundKernel::bind(const Text& text, Phase phase) const {
  return {description, names, text, phase};
}

BoundStep BoundKernel::bind_step(const StepSpec& spec, Phase phase) const {
  const Phase before = std::min(phase, Phase::config);
  BoundStep step;
  step.spec = &spec;
  step.when = bind(spec.when, before, Type::boolean);
  if (spec.memset) {
    step.bytes = bind(spec.bytes, phase, Type::integer);
    return step;
  }
  step.entry = bind(spec.entry, before);
  for (std::size_t i = 0; i < 3; ++i) {
    step.grid[i] = bind(spec.grid[i], phase, Type::integer);
    step.block[i] = bind(spec.block[i], before, Type::integer);
    step.cluster[i] = bind(spec.cluster[i], before, Type::integer);
  }
  step.dynamic_shared = bind(spec.dynamic_shared, before, Type::integer);
  for (const std::string& name : spec.arguments) {
    const ArgumentSpec* found = description.find_argument(name);
    if (found != nullptr && found->kind == Kind::buffer && argument(name).element == "f64") {
      step.fp64 = true;
    }
  }
  bind_model(step);
  step.uses_compiled = uses_compiled(step);
  return step;
}

bool BoundKernel::uses_compiled(const BoundStep& step) const {
  const auto uses = [&](const BoundText& text) {
    if (!text.given()) return false;
    const auto slots = text.expression().slots();
    return std::ranges::any_of(slots,
                               [&](int slot) { return names.phase(slot) == Phase::compiled; });
  };
  const auto access_uses = [&](const BoundAccess& access) {
    return uses(access.index) || uses(access.active) || uses(access.element_bytes) ||
           uses(access.width) || uses(access.count) || uses(access.reuse) ||
           uses(access.l1_reuse) || uses(access.async);
  };
  const std::array counts = {&step.fma,          &step.fma_registers, &step.fma_fresh,
                             &step.instructions, &step.ilp,           &step.loads_in_flight,
                             &step.barriers,     &step.exchanges,     &step.atomics};
  return std::ranges::any_of(step.grid, uses) ||
         std::ranges::any_of(step.loops, [&](const BoundLoop& loop) { return uses(loop.count); }) ||
         std::ranges::any_of(step.accesses, access_uses) ||
         std::ranges::any_of(counts, [&](const BoundText* text) { return uses(*text); });
}

void BoundKernel::bind_model(BoundStep& step) const {
  const ModelSpec& model = step.spec->model;
  for (const LoopSpec& loop : model.loops) {
    const auto slot = names.scope()->find(loop.name);
    if (slot) step.loops.push_back({*slot, bind(loop.count, Phase::compiled, Type::integer)});
  }
  for (const AccessSpec& access : model.accesses) {
    step.accesses.push_back(bind_access(access, model.loops));
  }
  step.fma = bind(model.fma, Phase::compiled, Type::real);
  step.fma_registers = bind(model.fma_registers, Phase::compiled, Type::real);
  step.fma_fresh = bind(model.fma_fresh, Phase::compiled, Type::real);
  step.instructions = bind(model.instructions, Phase::compiled, Type::real);
  step.ilp = bind(model.ilp, Phase::compiled, Type::real);
  step.loads_in_flight = bind(model.loads_in_flight, Phase::compiled, Type::real);
  step.barriers = bind(model.barriers, Phase::compiled, Type::real);
  step.exchanges = bind(model.exchanges, Phase::compiled, Type::real);
  step.atomics = bind(model.atomics, Phase::compiled, Type::real);
  step.min_registers = bind(model.min_registers, Phase::config, Type::real);
}

BoundAccess BoundKernel::bind_access(const AccessSpec& spec,
                                     const std::vector<LoopSpec>& loops) const {
  BoundAccess access;
  access.spec = &spec;
  if (!spec.index.given()) description.fail(spec.index.pointer, "is missing");
  access.index = bind(spec.index, Phase::thread, Type::integer, loops);
  access.active = bind(spec.active, Phase::thread, Type::boolean, loops);
  set_dependences(access, loops);
  access.element_bytes = bind(spec.element_bytes, Phase::compiled, Type::integer);
  access.width = bind(spec.width, Phase::compiled, Type::integer);
  access.count = bind(spec.count, Phase::compiled, Type::real);
  access.reuse = bind(spec.reuse, Phase::compiled, Type::real);
  access.l1_reuse = bind(spec.l1_reuse, Phase::compiled, Type::real);
  access.async = bind(spec.async, Phase::compiled, Type::boolean);
  if (!spec.buffer.empty()) {
    const BufferSpec held = buffer(argument(spec.buffer));
    access.buffer_element = expr::size_of_type(held.element).value_or(0);
    access.buffer_bytes = static_cast<double>(held.count * access.buffer_element);
  } else if (!spec.element_bytes.given()) {
    description.fail(spec.element_bytes.pointer, "is missing, and there is no buffer to tell it");
  }
  return access;
}

void BoundKernel::set_dependences(BoundAccess& access, const std::vector<LoopSpec>& loops) const {
  std::set<int> slots;
  for (const BoundText* text : {&access.index, &access.active}) {
    if (text->given()) slots.insert(text->quick().slots().begin(), text->quick().slots().end());
  }
  for (const int slot : slots) {
    if (names.phase(slot) != Phase::thread) access.known_slots.push_back(slot);
  }
  access.by_block =
      slots.contains(names.bx) || slots.contains(names.by) || slots.contains(names.bz);
  access.by_warp = slots.contains(names.warp);
  for (const LoopSpec& loop : loops) {
    access.by_loop.push_back(slots.contains(names.scope()->find(loop.name).value_or(-1)));
  }
}

void BoundKernel::check_reference() const {
  for (const BoundStep& step : reference) {
    for (std::size_t i = 0; i < step.spec->arguments.size(); ++i) {
      const ArgumentSpec* spec = description.find_argument(step.spec->arguments[i]);
      if (spec == nullptr) continue;  // NAME.initial
      const std::string at = fmt::format("{}/arguments/{}", step.spec->pointer, i);
      if (spec->kind == Kind::workspace || spec->kind == Kind::tensor_map) {
        description.fail(at, "a reference takes buffers and scalars only");
      }
      if (spec->kind != Kind::scalar) continue;
      const BoundText again = bind(spec->value, Phase::problem, std::nullopt);
      if (!again.given()) description.fail(at, "has no value");
    }
  }
}

// What measuring evaluates later is compiled here already, so that mistakes come to light at once.
void BoundKernel::check_checks() const {
  for (std::size_t i = 0; i < description.verify.checks.size(); ++i) {
    const ElementCheck& check = description.verify.checks[i];
    const std::string& at = description.verify.check_pointers[i];
    expr::Scope scope;
    std::string place = at;
    try {
      scope.add("i", Type::integer);
      std::set<std::string> taken;
      for (const BoundArgument& argument : arguments) {
        if (argument.spec->kind != Kind::scalar || argument.spec->name == "i") continue;
        taken.insert(argument.spec->name);
        scope.add(argument.spec->name,
                  element(argument, {}).starts_with("f") || element(argument, {}) == "bf16"
                      ? Type::real
                      : Type::integer);
      }
      for (const Axis& axis : description.axes) {
        if (!taken.contains(axis.name) && axis.name != "i") scope.add(axis.name, axis.type());
      }
      for (std::size_t j = 0; j < check.loads.size(); ++j) {
        place = fmt::format("{}/loads/{}/index", at, j);
        static_cast<void>(expr::Expression::compile(check.loads[j].index, scope));
        scope.add(check.loads[j].name, Type::real);
      }
      place = at + "/expected";
      static_cast<void>(expr::Expression::compile(check.expected, scope));
    } catch (const TunerError& error) {
      description.fail(place, error.what());
    }
  }
}

void BoundKernel::make_space() {
  std::vector<search::Parameter> parameters;
  std::vector<search::Constraint> constraints;
  for (const ConstraintSpec& spec : description.constraints) {
    const BoundText holds = bind(spec.holds, Phase::config, Type::boolean);
    const auto slots = holds.expression().slots();
    const bool fixed = std::all_of(slots.begin(), slots.end(),
                                   [&](int slot) { return names.phase(slot) == Phase::problem; });
    if (fixed) static_cast<void>(holds.boolean(names.cells(), true));  // names its place on errors
    constraints.push_back({holds.expression(), spec.why});
  }
  for (const ParameterSpec& spec : description.parameters) {
    if (spec.role == "maxrregcount") {
      register_limit = parameters.size();
      register_limit_slot = names.scope()->find(spec.name);
    }
    if (spec.role == "min_blocks_per_sm") min_blocks_slot = names.scope()->find(spec.name);
    parameters.push_back(
        {spec.name, names.scope()->find(spec.name).value_or(-1), spec.values, spec.default_index});
    if (!spec.when.given()) continue;
    parameters.back().when = bind(spec.when, Phase::config, Type::boolean).expression();
    const std::string text = fmt::format("({}) or {} == {}", spec.when.text, spec.name,
                                         literal(spec.values[spec.default_index]));
    const BoundText held = bind({text, spec.when.pointer}, Phase::config, Type::boolean);
    constraints.push_back({held.expression(), spec.name + " has no meaning here"});
  }
  space.emplace(names.scope(), names.cells(), std::move(parameters), std::move(constraints));
}

}  // namespace tuner
