#include "tests/bench/peers/tuned_kernel.h"

#include <fmt/format.h>

#include "expr/error.h"
#include "tuner/pipeline/keep.h"
#include "tuner/pipeline/setup.h"
#include "tuner/store/lookup.h"

namespace tuner::bench {
namespace {

constexpr std::chrono::milliseconds kRunLimit{10000};

std::string mode_name(CacheMode cache) { return cache == CacheMode::cold ? "cold" : "warm"; }

search::Config stored_config(const Kernel& kernel, const TunedProblem& problem, CacheMode cache) {
  const std::filesystem::path folders[] = {problem.configs};
  const LookupAnswer answer = lookup(folders, lookup_query(kernel, mode_name(cache)));
  if (answer.rung == Rung::exact) return kernel.space().from_values(answer.entry->winner.config);
  std::string axes;
  for (const auto& [name, value] : problem.axes) axes += fmt::format(" {}={}", name, value);
  throw TunerError(fmt::format(
      "{} has no exact result of {} for{}, {} (the best is: {}). Run: tuner tune {} --with{} "
      "--cache {} --configs {}",
      problem.configs.string(), problem.kernel, axes, mode_name(cache), to_string(answer.rung),
      problem.kernel, axes, mode_name(cache), problem.configs.string()));
}

}  // namespace

TunedKernel::TunedKernel(const Gpu& gpu, Compiler& compiler, const TunedProblem& problem,
                         CacheMode cache)
    : gpu_(gpu) {
  const KernelDescription description = find_kernel(problem.kernel);
  kernel_ = std::make_unique<Kernel>(description, resolve_problem(description, problem.axes),
                                     gpu.profile());
  const search::Config config = stored_config(*kernel_, problem, cache);
  config_ = kernel_->space().id(config);
  const MeasureSetup setup = make_setup(*kernel_, compiler, cache, 0);
  ReadyJob ready = make_job(*kernel_, compiler, config);
  if (!ready.job) throw TunerError(fmt::format("{}: {}", config_, ready.problem));
  buffers_ = std::make_unique<ProblemBuffers>(gpu, setup.buffers);
  verifier_ = std::make_unique<Verifier>(gpu, *buffers_, setup.verification, 10 * kRunLimit);
  timing_ = std::make_unique<TimingContext>(gpu, *buffers_, cache, kRunLimit);
  job_ = std::make_unique<PreparedJob>(gpu, *buffers_, *std::move(ready.job));
  verify(*this, fmt::format("{} {}", problem.kernel, config_));
}

void TunedKernel::verify(const Runs& runs, const std::string& who) {
  verifier_->before_run();
  runs.enqueue(0);
  gpu_.finish(kRunLimit);
  const RunVerdict verdict = verifier_->after_run(*job_, true);
  if (!verdict.problem.empty()) throw TunerError(fmt::format("{}: {}", who, verdict.problem));
}

}  // namespace tuner::bench
