#include "tuner/kernel/launching.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "expr/error.h"
#include "tuner/kernel/access_sampling.h"
#include "tuner/kernel/derived_model.h"

namespace tuner {
namespace {

using Kind = ArgumentSpec::Kind;

int to_int(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

std::int64_t product(const std::array<std::int64_t, 3>& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(result, size, &result)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return result;
}

std::array<std::int64_t, 3> dimensions(const std::array<BoundText, 3>& texts,
                                       std::span<const expr::Cell> cells) {
  return {texts[0].integer(cells, 1), texts[1].integer(cells, 1), texts[2].integer(cells, 1)};
}

const CompiledEntry* find_entry(std::span<const CompiledEntry> compiled, const std::string& entry) {
  const auto found = std::find_if(compiled.begin(), compiled.end(),
                                  [&](const CompiledEntry& one) { return one.entry == entry; });
  return found == compiled.end() ? nullptr : &*found;
}

std::vector<std::int64_t> integers(const std::vector<BoundText>& texts,
                                   std::span<const expr::Cell> cells) {
  std::vector<std::int64_t> values;
  values.reserve(texts.size());
  for (const BoundText& text : texts) values.push_back(text.integer(cells, 0));
  return values;
}

void set_compiled(const BoundKernel& kernel, const BoundStep& step, StepShape& shape) {
  models::BlockResources block;
  block.threads = to_int(product(shape.block));
  block.dynamic_shared = shape.dynamic_shared;
  int registers = to_int(
      static_cast<std::int64_t>(std::clamp(step.min_registers.real(shape.cells, 1), 1.0, 255.0)));
  if (shape.compiled != nullptr) {
    registers = shape.compiled->registers;
    block.registers_per_thread = registers;
    block.static_shared = shape.compiled->static_shared;
  }
  const auto at = [&](int slot) -> expr::Cell& {
    return shape.cells[static_cast<std::size_t>(slot)];
  };
  at(kernel.names.registers).i = registers;
  at(kernel.names.blocks_per_sm).i = models::occupancy(kernel.device, block).blocks_per_sm;
}

LaunchArgument make_tensor_map(const BoundArgument& bound, std::span<const expr::Cell> cells) {
  LaunchArgument result;
  result.kind = LaunchArgument::Kind::tensor_map;
  result.name = bound.spec->name;
  result.tensor_map = {bound.spec->buffer, integers(bound.sizes, cells),
                       integers(bound.strides, cells), integers(bound.box, cells),
                       bound.spec->swizzle};
  return result;
}

LaunchArgument make_argument(const BoundKernel& kernel, const std::string& name, bool reference,
                             std::span<const expr::Cell> cells) {
  constexpr std::string_view kInitial = ".initial";
  LaunchArgument result;
  if (reference && name.ends_with(kInitial)) {
    result.kind = LaunchArgument::Kind::buffer;
    result.name = name.substr(0, name.size() - kInitial.size());
    return result;
  }
  const BoundArgument& bound = kernel.argument(name);
  result.name = name;
  switch (bound.spec->kind) {
    case Kind::scalar:
      return kernel.scalar(bound, cells);
    case Kind::tensor_map:
      return make_tensor_map(bound, cells);
    case Kind::workspace:
      result.kind = LaunchArgument::Kind::workspace;
      break;
    case Kind::buffer:
    case Kind::constant:
      result.kind = reference && bound.spec->kind == Kind::buffer && bound.spec->output
                        ? LaunchArgument::Kind::reference_output
                        : LaunchArgument::Kind::buffer;
  }
  return result;
}

std::int64_t memset_bytes(const BoundKernel& kernel, const BoundStep& step,
                          std::span<const expr::Cell> cells) {
  const BoundArgument& target = kernel.argument(step.spec->target);
  const std::int64_t element =
      target.spec->kind == Kind::workspace ? 1 : *expr::size_of_type(target.element);
  return step.bytes.integer(cells, target.count.integer(cells, 0) * element);
}

LaunchStep make_step(const BoundKernel& kernel, const BoundStep& step, StepShape& shape,
                     bool reference) {
  LaunchStep result;
  if (step.spec->memset) {
    result.kind = LaunchStep::Kind::memset;
    result.memset_target = step.spec->target;
    result.memset_value = step.spec->value;
    result.memset_bytes = memset_bytes(kernel, step, shape.cells);
    return result;
  }
  if (shape.compiled == nullptr) {
    throw TunerError(fmt::format("{}: the entry {} has not been compiled",
                                 kernel.description.file.string(), step.entry.render(shape.cells)));
  }
  result.lowered_name = shape.compiled->lowered_name;
  result.grid = shape.grid;
  result.block = shape.block;
  result.cluster = shape.cluster;
  result.cooperative = step.spec->cooperative;
  result.dynamic_shared = shape.dynamic_shared;
  for (const std::string& name : step.spec->arguments) {
    result.arguments.push_back(make_argument(kernel, name, reference, shape.cells));
  }
  return result;
}

void add_workspaces(const BoundKernel& kernel, const StepSpec& step,
                    std::span<const expr::Cell> cells, std::vector<WorkspaceSpec>& workspaces) {
  const auto add = [&](const std::string& name) {
    const BoundArgument& bound = kernel.argument(name);
    const bool known = std::any_of(workspaces.begin(), workspaces.end(),
                                   [&](const WorkspaceSpec& one) { return one.name == name; });
    if (bound.spec->kind != Kind::workspace || known) return;
    const std::int64_t bytes = bound.count.integer(cells, 0);
    if (bytes < 0) bound.count.fail(fmt::format("{} bytes", bytes));
    workspaces.push_back({name, bytes, bound.spec->workspace_init});
  };
  for (const std::string& name : step.arguments) add(name);
  if (step.memset) add(step.target);
}

std::vector<SymbolSpec> make_symbols(const BoundKernel& kernel,
                                     std::span<const std::string> lowered) {
  const auto names = symbols_of(kernel.description);
  if (names.size() != lowered.size()) {
    throw TunerError(fmt::format("{}: {} symbols, but {} lowered names",
                                 kernel.description.file.string(), names.size(), lowered.size()));
  }
  std::vector<SymbolSpec> symbols;
  for (const ArgumentSpec& spec : kernel.description.arguments) {
    if (spec.kind != Kind::constant) continue;
    const auto at = std::find(names.begin(), names.end(), spec.symbol) - names.begin();
    symbols.push_back({lowered[static_cast<std::size_t>(at)], spec.name});
  }
  return symbols;
}

void set_counts(const BoundStep& step, std::span<const expr::Cell> cells,
                models::LaunchShape& launch) {
  launch.min_registers =
      to_int(static_cast<std::int64_t>(std::clamp(step.min_registers.real(cells, 0), 0.0, 1e6)));
  launch.fma_per_thread = step.fma.real(cells, 0);
  launch.fma_registers = step.fma_registers.real(cells, 3);
  launch.fma_fresh = step.fma_fresh.real(cells, 0);
  launch.instructions_per_thread = step.instructions.real(cells, 0);
  launch.ilp = step.ilp.real(cells, 1);
  launch.loads_in_flight = step.loads_in_flight.real(cells, 1);
  launch.barriers_per_block = step.barriers.real(cells, 0);
  launch.exchanges = step.exchanges.real(cells, 0);
  launch.atomics = step.atomics.real(cells, 0);
  launch.fp64 = step.fp64;
}

std::optional<double> bytes_of(const BoundKernel& kernel, const BoundArgument& argument,
                               std::span<const expr::Cell> cells) {
  switch (argument.spec->kind) {
    case Kind::workspace:
      return static_cast<double>(argument.count.integer(cells, 0));
    case Kind::buffer: {
      const BufferSpec buffer = kernel.buffer(argument);
      return static_cast<double>(buffer.count) *
             static_cast<double>(expr::size_of_type(buffer.element).value_or(0));
    }
    default:
      return std::nullopt;
  }
}

// As the kernel's PTX sees it. Tensor maps and real scalars stay unknown.
KernelArgument kernel_argument(const BoundKernel& kernel, const std::string& name,
                               std::span<const expr::Cell> cells) {
  const BoundArgument& argument = kernel.argument(name);
  KernelArgument result;
  result.name = name;
  if (argument.spec->kind == Kind::scalar) {
    const Value value = kernel.scalar(argument, cells).value;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) result.value = *integer;
  } else if (const auto bytes = bytes_of(kernel, argument, cells)) {
    result.pointer = true;
    result.buffer_bytes = *bytes;
  }
  return result;
}

void derive(const BoundKernel& kernel, const BoundStep& step, const StepShape& shape,
            models::LaunchShape& launch) {
  DeriveInput input{.device = kernel.device,
                    .ptx = *shape.compiled->ptx,
                    .entry = shape.compiled->lowered_name,
                    .arguments = {},
                    .useful_flops = kernel.flops.real(kernel.names.cells(), 0),
                    .useful_bytes = kernel.bytes.real(kernel.names.cells(), 0)};
  for (const std::string& name : step.spec->arguments) {
    input.arguments.push_back(kernel_argument(kernel, name, shape.cells));
  }
  derive_model(input, launch);
}

}  // namespace

std::vector<std::string> symbols_of(const KernelDescription& kernel) {
  std::vector<std::string> symbols;
  for (const ArgumentSpec& spec : kernel.arguments) {
    if (spec.kind == Kind::constant &&
        std::find(symbols.begin(), symbols.end(), spec.symbol) == symbols.end()) {
      symbols.push_back(spec.symbol);
    }
  }
  return symbols;
}

StepShape step_shape(const BoundKernel& kernel, const BoundStep& step,
                     std::span<const expr::Cell> cells, std::span<const CompiledEntry> compiled,
                     bool uses_compiled) {
  StepShape shape;
  shape.cells.assign(cells.begin(), cells.end());
  if (step.spec->memset) return shape;
  shape.block = dimensions(step.block, cells);
  shape.cluster = dimensions(step.cluster, cells);
  shape.dynamic_shared = step.dynamic_shared.integer(cells, 0);
  if (!compiled.empty()) shape.compiled = find_entry(compiled, step.entry.render_code(cells));
  if (uses_compiled) set_compiled(kernel, step, shape);
  shape.grid = dimensions(step.grid, shape.cells);
  return shape;
}

models::LaunchShape model_shape(const BoundKernel& kernel, const BoundStep& step,
                                std::span<const expr::Cell> cells,
                                std::span<const CompiledEntry> compiled, AccessMemo* memo) {
  StepShape shape = step_shape(kernel, step, cells, compiled, step.uses_compiled);
  models::LaunchShape launch;
  launch.name = step.spec->name;
  if (step.spec->memset) {
    launch.memset_bytes = static_cast<double>(memset_bytes(kernel, step, shape.cells));
    return launch;
  }
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.blocks = product(shape.grid);
  launch.threads = to_int(product(shape.block));
  launch.cluster_blocks = product(shape.cluster);
  launch.cooperative = step.spec->cooperative;
  launch.dynamic_shared = shape.dynamic_shared;
  if (shape.compiled != nullptr) {
    launch.registers = shape.compiled->registers;
    launch.static_shared = shape.compiled->static_shared;
    launch.spill_bytes = shape.compiled->spill_bytes;
  }
  const auto promise = [&](const std::optional<int>& slot, std::int64_t none) {
    const std::int64_t value = slot ? shape.cells[static_cast<std::size_t>(*slot)].i : none;
    return to_int(std::max(value, none));
  };
  launch.min_blocks_per_sm = promise(kernel.min_blocks_slot, 1);
  launch.register_limit = promise(kernel.register_limit_slot, 0);
  set_counts(step, shape.cells, launch);
  if (!step.spec->model.given && shape.compiled != nullptr && shape.compiled->ptx != nullptr) {
    derive(kernel, step, shape, launch);
    return launch;
  }
  launch.accesses = sample_accesses(kernel, step, shape.grid, shape.block, shape.cells, memo);
  return launch;
}

LaunchPlan make_launch_plan(const BoundKernel& kernel, std::span<const expr::Cell> cells,
                            std::span<const CompiledEntry> compiled,
                            std::span<const std::string> lowered_symbols) {
  LaunchPlan plan;
  for (const BoundStep& step : kernel.steps) {
    if (!step.when.boolean(cells, true)) continue;
    StepShape shape = step_shape(kernel, step, cells, compiled, true);
    plan.steps.push_back(make_step(kernel, step, shape, false));
    add_workspaces(kernel, *step.spec, shape.cells, plan.workspaces);
  }
  plan.symbols = make_symbols(kernel, lowered_symbols);
  return plan;
}

std::vector<LaunchStep> make_reference_launch(const BoundKernel& kernel,
                                              std::span<const CompiledEntry> compiled) {
  std::vector<LaunchStep> steps;
  for (const BoundStep& step : kernel.reference) {
    if (!step.when.boolean(kernel.names.cells(), true)) continue;
    StepShape shape = step_shape(kernel, step, kernel.names.cells(), compiled, true);
    steps.push_back(make_step(kernel, step, shape, true));
  }
  return steps;
}

}  // namespace tuner
