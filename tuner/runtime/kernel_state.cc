#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "expr/error.h"
#include "expr/expression.h"
#include "tuner/compile/compiler.h"
#include "tuner/launch/scalar.h"
#include "tuner/os/files.h"
#include "tuner/runtime/state.h"
#include "tuner/select/build.h"

namespace tuner::runtime::detail {
namespace {

std::string text_of(const Axis& axis, std::int64_t code) {
  switch (axis.kind) {
    case Axis::Kind::size:
      break;
    case Axis::Kind::number:
      return to_string(Value(std::bit_cast<double>(code)));
    case Axis::Kind::choice:
    case Axis::Kind::type:
      return to_string(axis.values[static_cast<std::size_t>(code)]);
  }
  return std::to_string(code);
}

std::string names_of(const std::vector<LoadedKernel::Buffer>& buffers) {
  std::vector<std::string> names;
  names.reserve(buffers.size());
  for (const LoadedKernel::Buffer& buffer : buffers) names.push_back(buffer.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// The scalars that the launches get, by name.
const LaunchArgument* find_scalar(const LaunchPlan& plan, const std::string& name) {
  for (const LaunchStep& step : plan.steps) {
    for (const LaunchArgument& argument : step.arguments) {
      if (argument.kind == LaunchArgument::Kind::scalar && argument.name == name) return &argument;
    }
  }
  return nullptr;
}

}  // namespace

KernelState::KernelState(RuntimeState& runtime, KernelDescription description)
    : runtime_(runtime), description_(std::move(description)) {
  if (description_.axes.size() > kMaxAxes) {
    throw TunerError(fmt::format("{}: {} problem axes, where the run-time library takes {}",
                                 description_.file.string(), description_.axes.size(), kMaxAxes));
  }
  for (const Axis& axis : description_.axes) {
    axis_names_.push_back(axis.name);
    std::vector<std::string>& texts = choices_.emplace_back();
    for (const Value& value : axis.values) texts.push_back(to_string(value));
  }
}

std::size_t KernelState::axis_index(std::string_view name) const {
  for (std::size_t i = 0; i < axis_names_.size(); ++i) {
    if (axis_names_[i] == name) return i;
  }
  const auto near = expr::nearest_name(name, axis_names_);
  throw TunerError(fmt::format(
      "The kernel {} has no problem axis '{}'{}; it has: {}.", description_.name, name,
      near ? fmt::format("; did you mean '{}'?", *near) : "", fmt::join(axis_names_, " ")));
}

void KernelState::refuse_value(std::size_t axis, std::string_view text) const {
  const std::vector<std::string>& known = choices_[axis];
  throw TunerError(fmt::format(
      "{}: the axis {} cannot be {}: use {}.", description_.name, description_.axes[axis].name,
      text, known.empty() ? "a whole number" : fmt::format("one of {}", fmt::join(known, " "))));
}

std::int64_t KernelState::choice_code(std::size_t axis, std::string_view text) const {
  const std::vector<std::string>& known = choices_[axis];
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) refuse_value(axis, text);
  return found - known.begin();
}

std::int64_t KernelState::choice_code(std::size_t axis, const Value& value) const {
  const std::vector<Value>& known = description_.axes[axis].values;
  const auto found = std::find(known.begin(), known.end(), value);
  if (found == known.end()) refuse_value(axis, to_string(value));
  return found - known.begin();
}

Choice& KernelState::select(const Problem& problem) {
  if (problem.kernel_ != this) {
    throw TunerError(
        fmt::format("A problem of another kernel was given to {}.", description_.name));
  }
  Choice* choice = table_.find(problem.codes_, description_.axes.size());
  if (choice == nullptr) choice = &select_slowly(problem.codes_);
  if (runtime_.captures()) choice->calls.fetch_add(1, std::memory_order_relaxed);
  return *choice;
}

Choice& KernelState::select_slowly(const Codes& codes) {
  const std::lock_guard lock(mutex_);
  if (Choice* choice = table_.find(codes, description_.axes.size())) return *choice;
  const tuner::Kernel kernel = bind(codes);
  const bool stale = runtime_.options().allow_stale;
  Chosen chosen = choose(kernel, runtime_.folders(), stale);
  if (chosen.selection.rung != Rung::exact && runtime_.tune(kernel)) {
    chosen = choose(kernel, runtime_.folders(), stale);
  }
  for (const std::string& warning : chosen.warnings) runtime_.warn(warning);
  Choice& choice = add(codes, std::move(chosen));
  if (runtime_.captures()) {
    runtime_.capture(description_, choice.kernel.problem(), 1);
    choice.calls.fetch_sub(1, std::memory_order_relaxed);  // the one that is about to be counted
  }
  return choice;
}

tuner::Kernel KernelState::bind(const Codes& codes) const {
  std::vector<std::pair<std::string, std::string>> given;
  for (std::size_t i = 0; i < description_.axes.size(); ++i) {
    if (codes[i] == kNotSet) continue;
    given.emplace_back(description_.axes[i].name, text_of(description_.axes[i], codes[i]));
  }
  return {description_, resolve_problem(description_, given), runtime_.device()};
}

Choice& KernelState::add(const Codes& codes, Chosen chosen) {
  auto choice = std::make_unique<Choice>(std::move(chosen.kernel), std::move(chosen.config),
                                         std::move(chosen.selection));
  choice->codes = codes;
  return *table_.insert(std::move(choice), description_.axes.size());
}

Choice& KernelState::fall_back(const Choice& from, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  Choice* now = table_.find(from.codes, description_.axes.size());
  if (now != nullptr && now != &from) return *now;  // another thread was first
  runtime_.warn(fmt::format("{}: the configuration {} cannot be used here, so the default is: {}",
                            description_.name, from.selection.config, reason));
  return add(from.codes, choose_fallback(from.kernel));
}

Choice& KernelState::prepare(const Problem& problem) { return prepare(select(problem)); }

Choice& KernelState::prepare(Choice& choice) {
  if (choice.loaded.load(std::memory_order_acquire) != nullptr) return choice;
  const CurrentContext current(runtime_.gpu());
  try {
    load(choice);
    return choice;
  } catch (const DriverError& error) {
    if (poisons_context(error.code()) || choice.selection.rung == Rung::fallback) throw;
    return prepare(fall_back(choice, error.what()));
  } catch (const TunerError& error) {
    if (choice.selection.rung == Rung::fallback) throw;
    return prepare(fall_back(choice, error.what()));
  }
}

LoadedKernel& KernelState::load(Choice& choice) {
  const std::lock_guard lock(choice.loading);
  if (choice.owned) return *choice.owned;
  const GpuContext& gpu = runtime_.gpu();
  const CompileResult compiled = runtime_.cubins().get(compile_job(
      choice.kernel.build(choice.config), choice.selection.config, gpu.profile.compute_capability));
  if (compiled.status != CompileResult::Status::ok) {
    throw TunerError(
        fmt::format("{} {}: {}", description_.name, choice.selection.config, compiled.reason),
        ExitCode::no_device);
  }
  LaunchPlan plan =
      choice.kernel.launch(choice.config, compiled_entries(compiled), compiled.symbol_names);
  choice.owned = std::make_unique<LoadedKernel>(gpu.driver, gpu.profile, std::move(plan),
                                                choice.kernel.buffers(), read_file(compiled.cubin));
  choice.loaded.store(choice.owned.get(), std::memory_order_release);
  return *choice.owned;
}

std::vector<Buffer> KernelState::buffers(const Problem& problem) {
  std::vector<Buffer> buffers;
  for (const BufferSpec& spec : select(problem).kernel.buffers()) {
    buffers.push_back(
        {spec.name, spec.element, spec.count, bytes_of(spec), spec.input, spec.output});
  }
  return buffers;
}

const Selection& KernelState::launch(CUstream stream, const Problem& problem,
                                     const Arguments& arguments) {
  Choice& choice = prepare(select(problem));
  LoadedKernel& loaded = *choice.loaded.load(std::memory_order_acquire);
  check_scalars(choice, arguments);
  const CurrentContext current(runtime_.gpu());
  loaded.launch(stream, addresses(loaded, arguments));
  return choice.selection;
}

// In the order of the loaded kernel's buffers.
std::vector<CUdeviceptr> KernelState::addresses(const LoadedKernel& loaded,
                                                const Arguments& arguments) const {
  const std::vector<LoadedKernel::Buffer>& buffers = loaded.buffers();
  std::vector<CUdeviceptr> addresses(buffers.size(), 0);
  for (const auto& [name, address] : arguments.pointers_) {
    const auto buffer =
        std::find_if(buffers.begin(), buffers.end(),
                     [&, &wanted = name](const auto& one) { return one.name == wanted; });
    if (buffer == buffers.end()) {
      throw TunerError(fmt::format("The kernel {} has no buffer '{}'; it has: {}.",
                                   description_.name, name, names_of(buffers)));
    }
    addresses[static_cast<std::size_t>(buffer - buffers.begin())] = address;
  }
  const auto missing = std::find(addresses.begin(), addresses.end(), 0U);
  if (missing == addresses.end()) return addresses;
  throw TunerError(
      fmt::format("The kernel {} needs a pointer for its buffer '{}'.", description_.name,
                  buffers[static_cast<std::size_t>(missing - addresses.begin())].name));
}

void KernelState::check_scalars(const Choice& choice, const Arguments& arguments) const {
  for (const Arguments::Scalar& given : arguments.scalars_) {
    const ArgumentSpec* known = description_.find_argument(given.name);
    if (known == nullptr || known->kind != ArgumentSpec::Kind::scalar) {
      throw TunerError(
          fmt::format("The kernel {} has no scalar '{}'.", description_.name, given.name));
    }
    // One that this configuration does not use is nothing to check.
    const LaunchArgument* argument =
        find_scalar(choice.loaded.load(std::memory_order_acquire)->plan(), given.name);
    if (argument == nullptr) continue;
    const Value value = given.whole ? Value(std::int64_t{given.integer}) : Value(given.real);
    if (encode_scalar(given.name, argument->type, value) ==
        encode_scalar(given.name, argument->type, argument->value)) {
      continue;
    }
    throw TunerError(fmt::format(
        "{}: the scalar '{}' is {}, but follows from the problem ({}) as {}; set the axis instead.",
        description_.name, given.name, to_string(value), choice.selection.problem,
        to_string(argument->value)));
  }
}

void KernelState::forget() {
  const std::lock_guard lock(mutex_);
  table_.clear();
}

void KernelState::capture_rest() {
  const std::lock_guard lock(mutex_);
  for (const auto& choice : table_.all()) {
    const std::int64_t calls = choice->calls.exchange(0);
    if (calls > 0) runtime_.capture(description_, choice->kernel.problem(), calls);
  }
}

}  // namespace tuner::runtime::detail
