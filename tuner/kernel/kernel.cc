#include "tuner/kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/kernel/bound_kernel.h"
#include "tuner/kernel/launch_code.h"
#include "tuner/kernel/launching.h"

namespace tuner {

struct Kernel::Impl : BoundKernel {
  using BoundKernel::BoundKernel;
};

namespace {

void add_distinct(std::vector<std::string>& list, std::string item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

double tolerance_value(const BoundText& text, std::span<const expr::Cell> cells) {
  const double value = text.real(cells, 0);
  if (!(value >= 0) || std::isinf(value)) text.fail(fmt::format("the tolerance is {}", value));
  return value;
}

// Scalar arguments that the problem alone decides, as the kernel gets them; then the axes.
std::vector<std::pair<std::string, Value>> check_scalars(const BoundKernel& kernel) {
  std::vector<std::pair<std::string, Value>> scalars;
  for (const BoundArgument& argument : kernel.arguments) {
    if (argument.spec->kind != ArgumentSpec::Kind::scalar || argument.parameter) continue;
    const auto slots = argument.value.expression().slots();
    if (std::all_of(slots.begin(), slots.end(),
                    [&](int slot) { return kernel.names.phase(slot) == Phase::problem; })) {
      scalars.emplace_back(argument.spec->name,
                           kernel.scalar(argument, kernel.names.cells()).value);
    }
  }
  for (const auto& axis : kernel.problem.axes) {
    const bool taken = std::any_of(scalars.begin(), scalars.end(),
                                   [&](const auto& one) { return one.first == axis.first; });
    if (!taken) scalars.push_back(axis);
  }
  return scalars;
}

}  // namespace

Kernel::Kernel(KernelDescription description, Problem problem, models::DeviceProfile device)
    : impl_(std::make_shared<const Impl>(std::move(description), std::move(problem),
                                         std::move(device))) {}

const KernelDescription& Kernel::description() const { return impl_->description; }
const Problem& Kernel::problem() const { return impl_->problem; }
const models::DeviceProfile& Kernel::device() const { return impl_->device; }
const search::Space& Kernel::space() const { return space_ ? *space_ : *impl_->space; }

Kernel Kernel::with_space(search::Space space) const {
  Kernel narrowed = *this;
  narrowed.space_ = std::make_shared<const search::Space>(std::move(space));
  return narrowed;
}

BuildPlan Kernel::build(const search::Config& config) const {
  const auto cells = space().cells(config);
  BuildPlan plan;
  plan.source = impl_->description.source;
  plan.include_dirs = impl_->description.include_dirs;
  for (const BoundTemplate& option : impl_->options) plan.options.push_back(option.render(cells));
  for (const auto& [name, value] : impl_->defines) {
    plan.options.push_back(fmt::format("-D{}={}", name, value.render_code(cells)));
  }
  if (impl_->register_limit) {
    const Value& limit = space().value(config, *impl_->register_limit);
    const auto* count = std::get_if<std::int64_t>(&limit);
    if (count != nullptr && *count > 0) {
      plan.options.push_back(fmt::format("--maxrregcount={}", *count));
    }
  }
  for (const BoundStep& step : impl_->steps) {
    if (step.spec->memset || !step.when.boolean(cells, true)) continue;
    add_distinct(plan.entries, step.entry.render_code(cells));
    plan.keep_ptx |= !step.spec->model.given;
  }
  plan.symbols = symbols_of(impl_->description);
  return plan;
}

BuildPlan Kernel::reference_build() const {
  BuildPlan plan;
  if (impl_->reference.empty()) return plan;
  plan.source = impl_->description.verify.reference_source;
  plan.include_dirs = impl_->description.include_dirs;
  for (const BoundStep& step : impl_->reference) {
    const auto& cells = impl_->names.cells();
    if (step.spec->memset || !step.when.boolean(cells, true)) continue;
    add_distinct(plan.entries, step.entry.render_code(cells));
  }
  return plan;
}

models::KernelShape Kernel::shape(const search::Config& config,
                                  std::span<const CompiledEntry> compiled, AccessMemo* memo) const {
  std::vector<expr::Cell> cells = space().cells(config);
  static_cast<void>(impl_->names.extend(cells));
  models::KernelShape shape;
  for (const BoundStep& step : impl_->steps) {
    if (!step.when.boolean(cells, true)) continue;
    shape.launches.push_back(model_shape(*impl_, step, cells, compiled, memo));
  }
  shape.useful_flops = useful_flops();
  shape.useful_bytes = useful_bytes();
  return shape;
}

LaunchPlan Kernel::launch(const search::Config& config, std::span<const CompiledEntry> compiled,
                          std::span<const std::string> lowered_symbols) const {
  return make_launch_plan(*impl_, space().cells(config), compiled, lowered_symbols);
}

ConfigCode Kernel::code(const search::Config& config,
                        std::span<const CompiledEntry> compiled) const {
  return launch_code(*impl_, space(), config, compiled);
}

std::vector<LaunchStep> Kernel::reference_launch(std::span<const CompiledEntry> compiled) const {
  return make_reference_launch(*impl_, compiled);
}

std::vector<BufferSpec> Kernel::buffers() const {
  std::vector<BufferSpec> buffers;
  for (const BoundArgument& argument : impl_->arguments) {
    const auto kind = argument.spec->kind;
    if (kind == ArgumentSpec::Kind::buffer || kind == ArgumentSpec::Kind::constant) {
      buffers.push_back(impl_->buffer(argument));
    }
  }
  return buffers;
}

std::vector<ElementCheck> Kernel::checks() const {
  std::vector<ElementCheck> checks = impl_->description.verify.checks;
  for (ElementCheck& check : checks) check.scalars = check_scalars(*impl_);
  return checks;
}

Tolerance Kernel::tolerance() const {
  const auto& cells = impl_->names.cells();
  return {tolerance_value(impl_->relative, cells), tolerance_value(impl_->absolute, cells),
          tolerance_value(impl_->frobenius, cells)};
}

double Kernel::useful_flops() const { return impl_->flops.real(impl_->names.cells(), 0); }
double Kernel::useful_bytes() const { return impl_->bytes.real(impl_->names.cells(), 0); }

}  // namespace tuner
