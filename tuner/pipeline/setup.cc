#include "tuner/pipeline/setup.h"

#include <fmt/format.h>

#include "expr/error.h"
#include "tuner/measure/memory_need.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

// All of it but the reference and the device.
MeasureSetup problem_setup(const Kernel& kernel) {
  MeasureSetup setup;
  setup.buffers = kernel.buffers();
  const Tolerance tolerance = kernel.tolerance();
  setup.verification.relative = tolerance.relative;
  setup.verification.absolute = tolerance.absolute;
  setup.verification.frobenius = tolerance.frobenius;
  setup.verification.checks = kernel.checks();
  return setup;
}

}  // namespace

void check_memory(const Kernel& kernel) {
  const std::int64_t need = device_bytes_needed(problem_setup(kernel));
  const std::int64_t have = kernel.device().memory_bytes;
  if (have <= 0 || need <= have) return;
  throw TunerError(fmt::format(
      "{} with {} needs {:.1f} GiB of GPU memory, and {} has {:.1f}; choose smaller sizes",
      kernel.description().name, to_string(kernel.problem()), static_cast<double>(need) / (1 << 30),
      kernel.device().name, static_cast<double>(have) / (1 << 30)));
}

MeasureSetup make_setup(const Kernel& kernel, Compiler& compiler, CacheMode cache, int device) {
  check_memory(kernel);
  MeasureSetup setup = problem_setup(kernel);
  setup.device = device;
  setup.cache = cache;
  const BuildPlan plan = kernel.reference_build();
  if (plan.entries.empty()) return setup;
  const CompileResult result = compile_and_wait(
      compiler, compile_job(plan, "reference", kernel.device().compute_capability));
  if (result.status != CompileResult::Status::ok) {
    throw TunerError(
        fmt::format("{}: the reference does not compile: {}", plan.source.string(), result.reason));
  }
  setup.verification.reference_cubin = result.cubin.string();
  setup.verification.reference = kernel.reference_launch(compiled_entries(result));
  return setup;
}

ReadyJob make_job(const Kernel& kernel, Compiler& compiler, const search::Config& config) {
  const std::string id = kernel.space().id(config);
  const CompileResult result = compile_and_wait(
      compiler, compile_job(kernel.build(config), id, kernel.device().compute_capability));
  if (result.status != CompileResult::Status::ok) return {std::nullopt, result.reason, {}};
  LaunchPlan plan = kernel.launch(config, compiled_entries(result), result.symbol_names);
  MeasureJob job;
  job.id = id;
  job.cubin = result.cubin.string();
  job.steps = std::move(plan.steps);
  job.workspaces = std::move(plan.workspaces);
  job.symbols = std::move(plan.symbols);
  return {std::move(job), "", compiled_entries(result)};
}

}  // namespace tuner
