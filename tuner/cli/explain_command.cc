// tuner explain: compiles one configuration for the device and tells what the model makes of it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "models/estimate.h"
#include "tuner/cli/command.h"
#include "tuner/cli/counters_option.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/explain_view.h"
#include "tuner/cli/problem_options.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/pipeline/setup.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

struct ExplainOptions {
  ProblemOptions problem;
  DeviceOption device;
  bool use_cache = true;
  bool counters = false;
};

// The values of `config` by name: indices mean other values in another narrowing of the space.
search::Config in_whole_space(const search::Space& whole, const search::Space& narrow,
                              const search::Config& config) {
  std::vector<std::pair<std::string, Value>> values;
  for (std::size_t i = 0; i < narrow.parameters().size(); ++i) {
    values.emplace_back(narrow.parameters()[i].name, narrow.value(config, i));
  }
  return whole.from_values(values);
}

// What --set fixes; the rest at its default, or, where the constraints forbid that, as near to it
// as they allow.
search::Config choose_config(const Kernel& kernel, const ProblemOptions& problem) {
  const search::Space narrow = problem.narrow(kernel.space());
  const search::Config standard = narrow.default_config();
  const auto violation = narrow.violation(standard);
  if (!violation) return in_whole_space(kernel.space(), narrow, standard);
  const auto nearest = narrow.nearest_valid_to_default();
  if (!nearest) throw TunerError(nothing_valid(narrow).value(), ExitCode::no_valid_config);
  spdlog::warn("{} cannot be: {}; explaining {} instead", narrow.id(standard), *violation,
               narrow.id(*nearest));
  return in_whole_space(kernel.space(), narrow, *nearest);
}

CompileResult compile(const Kernel& kernel, const search::Config& config, bool use_cache) {
  CompilerPoolOptions pool;
  pool.processes = 1;
  pool.use_cache = use_cache;
  const std::unique_ptr<Compiler> compiler = make_compiler_pool(pool);
  CompileResult result =
      compile_and_wait(*compiler, compile_job(kernel.build(config), kernel.space().id(config),
                                              kernel.device().compute_capability));
  if (result.status != CompileResult::Status::ok) {
    throw TunerError(fmt::format("{} does not compile: {}{}{}", kernel.space().id(config),
                                 result.reason, result.log.empty() ? "" : "\n", result.log),
                     ExitCode::no_valid_config);
  }
  return result;
}

// Of a run with a cold cache, as the estimate is.
std::vector<CounterRow> count(const Explanation& explanation, const ReadCounters& read, int gpu) {
  const auto& [kernel, config, shape, estimate, none] = explanation;
  const std::unique_ptr<Compiler> compiler = make_compiler_pool({});
  const MeasureSetup setup = make_setup(kernel, *compiler, CacheMode::cold, gpu);
  const ReadyJob ready = make_job(kernel, *compiler, config);
  if (!ready.job) throw TunerError(ready.problem, ExitCode::no_valid_config);
  const std::vector<Counters> counted = read(setup, *ready.job);
  std::vector<CounterRow> rows;
  for (std::size_t i = 0; i < ready.job->steps.size(); ++i) {
    if (ready.job->steps[i].kind != LaunchStep::Kind::kernel) continue;
    const Counters& measured = counted[rows.size()];
    rows.push_back({shape.launches[i].name, model_counters(kernel.device(), shape, estimate, i),
                    measured, access_rows(shape.launches[i], measured.accesses)});
  }
  return rows;
}

ExitCode run(const ExplainOptions& options, const Output& output) {
  KernelDescription description = find_kernel(options.problem.kernel);
  Problem problem = resolve_problem(description, options.problem.single_problem());
  const ChosenDevice device = options.device.choose();
  const ReadCounters read = counters_if(options.counters, device, true);
  const Kernel kernel(std::move(description), std::move(problem), device.profile);
  const search::Config config = choose_config(kernel, options.problem);
  const CompileResult compiled = compile(kernel, config, options.use_cache);
  const models::KernelShape shape = kernel.shape(config, compiled_entries_with_ptx(compiled));
  const models::Estimate estimate = models::estimate(kernel.device(), shape);
  Explanation explanation{kernel, config, shape, estimate};
  if (read) explanation.counters = count(explanation, read, device.gpus.front());
  output.text(explanation_text(explanation, output.color()));
  output.json(explanation_json(explanation));
  return ExitCode::ok;
}

}  // namespace

Action declare_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  options->problem.add_to(app);
  options->device.add_to(app);
  add_counters_flag(app, options->counters);
  app.add_flag("!--no-cache", options->use_cache, "compile again, whatever is in the cache");
  return [options](const Output& output) { return run(*options, output); };
}

}  // namespace tuner
