#include "tuner/measure/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "expr/expression.h"
#include "tuner/launch/launch_sequence.h"
#include "tuner/measure/prepared_job.h"
#include "tuner/measure/trial_failure.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

constexpr std::int64_t kRunLength = 16;

std::set<std::string> written_outputs(const std::vector<LaunchStep>& steps) {
  std::set<std::string> names;
  for (const LaunchStep& step : steps) {
    for (const LaunchArgument& argument : step.arguments) {
      if (argument.kind == LaunchArgument::Kind::reference_output) names.insert(argument.name);
    }
  }
  return names;
}

// Filled with NaN (or -1), so that what the reference leaves out is noticed.
std::vector<GuardedBuffer> allocate_outputs(const Gpu& gpu, const ProblemBuffers& buffers,
                                            const std::set<std::string>& names) {
  std::vector<GuardedBuffer> outputs;
  for (const std::string& name : names) {
    const BufferSpec& spec = buffers.specs()[buffers.index_of(name)];
    outputs.emplace_back(gpu, name, spec.count * 8);
    gpu.fill(outputs.back().data(), 0xFF, outputs.back().bytes());
  }
  return outputs;
}

ReferenceOutput fetch(const Gpu& gpu, const ProblemBuffers& buffers, const GuardedBuffer& output) {
  ReferenceOutput result;
  result.buffer = buffers.index_of(output.name());
  result.count = output.bytes() / 8;
  result.values =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(output.bytes()));
  const ByteRange whole{0, output.bytes()};
  gpu.download(output.data(), {&whole, 1},
               [&](std::int64_t offset, std::span<const std::byte> chunk) {
                 std::copy(chunk.begin(), chunk.end(), result.values.get() + offset);
               });
  return result;
}

// What a run of the reference holds on the device.
struct ReferenceRun {
  ReferenceRun(const Gpu& gpu, const ProblemBuffers& buffers, const Verification& verification)
      : module(load_module(gpu.driver(), read_file(verification.reference_cubin),
                           verification.reference_cubin)),
        outputs(allocate_outputs(gpu, buffers, written_outputs(verification.reference))),
        launches(gpu.driver(), gpu.profile(), module.get(), verification.reference),
        arguments(launches.bind(targets(buffers))) {}

  LaunchTargets targets(const ProblemBuffers& buffers) const {
    LaunchTargets result = buffer_targets(buffers, 0);
    for (const GuardedBuffer& output : outputs) {
      result.reference_outputs[output.name()] = {output.data(), output.bytes(), Element::f64};
    }
    return result;
  }

  Module module;
  std::vector<GuardedBuffer> outputs;
  LaunchSequence launches;
  BoundArguments arguments;
};

std::vector<ReferenceOutput> finish_reference(const Gpu& gpu, const ProblemBuffers& buffers,
                                              const ReferenceRun& run,
                                              std::chrono::milliseconds limit) {
  run.launches.enqueue(run.arguments, gpu.stream());
  gpu.finish(limit);
  std::vector<const GuardedBuffer*> guarded;
  for (const GuardedBuffer& output : run.outputs) guarded.push_back(&output);
  if (const std::string problem = check_guards(gpu, guarded); !problem.empty()) {
    throw TrialFailure("wrong", problem);
  }
  std::vector<ReferenceOutput> results;
  for (const GuardedBuffer& output : run.outputs) results.push_back(fetch(gpu, buffers, output));
  return results;
}

std::vector<ReferenceOutput> run_reference(const Gpu& gpu, const ProblemBuffers& buffers,
                                           const Verification& verification,
                                           std::chrono::milliseconds limit) {
  auto run = std::make_unique<ReferenceRun>(gpu, buffers, verification);
  try {
    return finish_reference(gpu, buffers, *run, limit);
  } catch (...) {
    // Freeing memory would wait for a kernel that never ends. The process is about to end itself.
    static_cast<void>(run.release());  // NOLINT(bugprone-unused-return-value)
    throw;
  }
}

// The names and cells that a check's expressions are evaluated over.
class CheckEvaluator {
 public:
  CheckEvaluator(const ElementCheck& check, const CheckInputs& inputs)
      : check_(check), inputs_(inputs) {
    index_slot_ = scope_.add("i", Type::integer);
    for (const auto& [name, value] : check.scalars) {
      const int slot = scope_.add(name, type_of(value));
      cells_.resize(static_cast<std::size_t>(scope_.size()));
      cells_[static_cast<std::size_t>(slot)] = scope_.encode(value, type_of(value));
    }
    for (const ElementCheck::Load& load : check.loads) {
      indices_.push_back(expr::Expression::compile(load.index, scope_));
      const bool whole = inputs.holds_integers(load.buffer);
      load_slots_.push_back(scope_.add(load.name, whole ? Type::integer : Type::real));
    }
    expected_ = expr::Expression::compile(check.expected, scope_);
    cells_.resize(static_cast<std::size_t>(scope_.size()));
  }

  double evaluate(std::int64_t i) {
    cells_[static_cast<std::size_t>(index_slot_)].i = i;
    for (std::size_t k = 0; k < indices_.size(); ++k) {
      const std::int64_t index = indices_[k].integer(cells_);
      const double value = inputs_.initial_value(check_.loads[k].buffer, index);
      expr::Cell& cell = cells_[static_cast<std::size_t>(load_slots_[k])];
      if (scope_.type(load_slots_[k]) == Type::integer) {
        cell.i = from_double<std::int64_t>(value);
      } else {
        cell.d = value;
      }
    }
    return expected_->real(cells_);
  }

 private:
  const ElementCheck& check_;
  const CheckInputs& inputs_;
  expr::Scope scope_;
  std::vector<expr::Cell> cells_;
  int index_slot_ = 0;
  std::vector<expr::Expression> indices_;
  std::vector<int> load_slots_;
  std::optional<expr::Expression> expected_;
};

}  // namespace

std::vector<ReferenceOutput> compute_reference(const Gpu& gpu, const ProblemBuffers& buffers,
                                               const Verification& verification,
                                               std::chrono::milliseconds limit) {
  if (verification.reference_cubin.empty()) return {};
  try {
    return run_reference(gpu, buffers, verification, limit);
  } catch (const TrialFailure& failure) {
    throw TunerError(fmt::format("The reference kernel cannot be used: {}.", failure.what()));
  } catch (const LaunchRefused& refusal) {
    throw TunerError(fmt::format("The reference kernel cannot be used: {}.", refusal.what()));
  } catch (const DriverError& error) {
    throw TunerError(fmt::format("The reference kernel cannot be used: {}.", error.what()));
  }
}

std::vector<CheckedElements::Run> choose_runs(std::int64_t count, std::int64_t samples) {
  if (count <= 0) return {};
  if (count <= samples) return {{0, count}};
  const std::int64_t blocks = (count - 1) / kRunLength + 1;
  const std::int64_t wanted = std::clamp<std::int64_t>(samples / kRunLength, 2, blocks);
  std::set<std::int64_t> chosen{0, blocks - 1};
  for (std::uint64_t draw = 0; static_cast<std::int64_t>(chosen.size()) < wanted; ++draw) {
    chosen.insert(static_cast<std::int64_t>(mixed(0, draw) % static_cast<std::uint64_t>(blocks)));
  }
  std::vector<CheckedElements::Run> runs;
  for (const std::int64_t block : chosen) {
    const std::int64_t first = block * kRunLength;
    runs.push_back({first, std::min(kRunLength, count - first)});
  }
  return runs;
}

std::vector<double> expected_values(const ElementCheck& check,
                                    const std::vector<CheckedElements::Run>& runs,
                                    const CheckInputs& inputs) {
  CheckEvaluator evaluator(check, inputs);
  std::vector<double> expected;
  for (const CheckedElements::Run& run : runs) {
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      expected.push_back(evaluator.evaluate(i));
    }
  }
  return expected;
}

std::vector<CheckedElements> compute_checks(ProblemBuffers& buffers,
                                            const std::vector<ElementCheck>& checks) {
  const CheckInputs inputs{
      .holds_integers =
          [&buffers](const std::string& name) {
            return is_integer(buffers.generator(buffers.index_of(name)).element());
          },
      .initial_value =
          [&buffers](const std::string& name, std::int64_t index) {
            return buffers.generator(buffers.index_of(name)).value(index);
          }};
  std::vector<CheckedElements> results;
  for (const ElementCheck& check : checks) {
    CheckedElements result;
    result.buffer = buffers.index_of(check.output);
    result.runs = choose_runs(buffers.specs()[result.buffer].count, check.samples);
    result.expected = expected_values(check, result.runs, inputs);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace tuner
