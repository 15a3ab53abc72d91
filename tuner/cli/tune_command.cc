#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/tune_output.h"
#include "tuner/pipeline/keep.h"
#include "tuner/pipeline/setup.h"
#include "tuner/pipeline/tune.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/result_store.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

struct TuneFlags {
  ProblemOptions problem;
  DeviceOption device;
  std::string strategy = "model", cache = "cold", configs;
  std::size_t budget = 400;
  double time_s = 30;
  std::uint64_t seed = 0;
  bool dry_run = false, no_compile_cache = false;
};

// "" and "0", "1", … are GPUs of this machine; all else is a profile.
std::optional<int> live_index(const std::string& text) {
  if (text.empty()) return 0;
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

SearchLimits limits_of(const TuneFlags& flags) {
  SearchLimits limits;
  limits.budget = flags.budget;
  limits.time = std::chrono::milliseconds(static_cast<std::int64_t>(flags.time_s * 1000));
  limits.interrupted = &InterruptGuard::flag();
  return limits;
}

ExitCode predict(const TuneFlags& flags, const Kernel& kernel, const Output& output) {
  const auto begin = Clock::now();
  const Pruned pruned = prune(kernel, flags.cache == "cold", flags.seed);
  const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  output.text(predicted_summary(kernel, pruned));
  output.json(predicted_json(kernel, pruned, wall_s));
  return pruned.candidates.empty() ? ExitCode::no_valid_config : ExitCode::ok;
}

ExitCode exit_code(const TuneOutcome& outcome) {
  if (outcome.search.interrupted || !outcome.search.device_lost.empty()) {
    return outcome.verdict.winner ? ExitCode::ended_early : ExitCode::interrupted;
  }
  return outcome.verdict.winner ? ExitCode::ok : ExitCode::no_valid_config;
}

// Says where the winner went, as a line for people.
std::string keep(const ResultStore& store, const Kernel& kernel, const TuneOptions& options,
                 const TuneOutcome& outcome) {
  std::optional<TunedEntry> entry = tuned_entry(kernel, options, outcome, "");
  if (!entry) return "";
  const auto file = store.save(kernel.description().name, kernel.device().id, std::move(*entry));
  return fmt::format("kept in   {}\n", file.string());
}

ExitCode measure(const TuneFlags& flags, const Kernel& kernel, int device, const Output& output) {
  const InterruptGuard interrupt;
  const ConfigsFolders folders = configs_folders(flags.configs);
  const ResultStore store(folders.write);
  store.check_savable(kernel.description().name, kernel.device().id);
  TuneOptions options;
  options.strategy = flags.strategy;
  options.limits = limits_of(flags);
  options.seed = flags.seed;
  options.cache = flags.cache == "cold" ? CacheMode::cold : CacheMode::warm;
  CompilerPoolOptions pool;
  pool.use_cache = !flags.no_compile_cache;
  const auto compiler = make_compiler_pool(pool);
  const auto worker = make_worker(make_setup(kernel, *compiler, options.cache, device));
  Measurer* const measurers[] = {worker.get()};
  TuneOutcome outcome;
  {
    Progress progress(kernel.space(), options.limits, false);
    outcome = tune(kernel, options, *compiler, measurers, progress);
  }
  const std::string kept = keep(store, kernel, options, outcome);
  output.text(tune_summary(kernel, outcome) + kept);
  output.json(tune_json(kernel, outcome));
  return exit_code(outcome);
}

ExitCode run(const TuneFlags& flags, const Output& output) {
  const std::optional<int> live = live_index(flags.device.text);
  const KernelDescription description = find_kernel(flags.problem.kernel);
  const models::DeviceProfile device = flags.device.resolve();
  const auto given = flags.problem.single_problem();
  Kernel kernel(description, resolve_problem(description, given), device);
  kernel = kernel.with_space(flags.problem.narrow(kernel.space()));
  if (!live || flags.dry_run) return predict(flags, kernel, output);
  return measure(flags, kernel, *live, output);
}

}  // namespace

Action declare_tune(CLI::App& app) {
  auto flags = std::make_shared<TuneFlags>();
  flags->problem.add_to(app);
  flags->device.add_to(app);
  std::vector<std::string> names;
  for (const search::StrategyEntry& entry : search::strategies()) names.emplace_back(entry.name);
  app.add_option("--strategy", flags->strategy, "how the next configurations are chosen")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--budget", flags->budget, "configurations to measure at most; 0: no limit")
      ->capture_default_str();
  app.add_option("--time", flags->time_s, "seconds to search at most (30, 30s, 2m); 0: no limit")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", flags->seed, "of the search's random choices")->capture_default_str();
  app.add_option("--cache", flags->cache, "are inputs in the cache when a run begins")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  app.add_option("--configs", flags->configs, "folder that the winner is kept in");
  app.add_flag("--dry-run", flags->dry_run, "only predict, also where there is a GPU");
  app.add_flag("--no-compile-cache", flags->no_compile_cache, "compile everything anew");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
