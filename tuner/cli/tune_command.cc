#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/tune_output.h"
#include "tuner/pipeline/former_winners.h"
#include "tuner/pipeline/journaling.h"
#include "tuner/pipeline/keep.h"
#include "tuner/pipeline/refine.h"
#include "tuner/pipeline/setup.h"
#include "tuner/store/capture.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct TuneFlags {
  ProblemOptions problem;
  DeviceOption device;
  MeasuringFlags measuring;
  std::string strategy = "model", configs, capture;
  std::size_t patience = 300;
  bool dry_run = false;
};

struct Task {
  KernelDescription kernel;
  Problem problem;
};

std::vector<Task> typed_tasks(const TuneFlags& flags) {
  if (flags.problem.kernel.empty()) {
    throw TunerError("KERNEL is missing: name one (see tuner list), or give --from-capture FILE");
  }
  const KernelDescription kernel = find_kernel(flags.problem.kernel);
  std::vector<Task> tasks;
  for (const auto& given : flags.problem.problems()) {
    tasks.push_back({kernel, resolve_problem(kernel, given)});
  }
  return tasks;
}

Task captured_task(const CapturedProblem& captured) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [name, value] : captured.problem) given.emplace_back(name, to_string(value));
  try {
    const KernelDescription kernel = find_kernel(captured.kernel);
    return {kernel, resolve_problem(kernel, given)};
  } catch (const TunerError& error) {
    throw TunerError(
        fmt::format("{}: {}. Delete that line, or capture the application's problems anew.",
                    captured.origin, error.what()));
  }
}

// Of the kernel that is named, if one is; all of them before anything is measured.
std::vector<Task> captured_tasks(const TuneFlags& flags) {
  if (flags.problem.names_axes()) {
    throw TunerError(
        "--from-capture says which problems to tune: leave out --n, --m, --k, --size and --with");
  }
  const std::string& only = flags.problem.kernel;
  std::vector<Task> tasks;
  for (const CapturedProblem& captured : load_captured(flags.capture)) {
    Task task = captured_task(captured);
    if (only.empty() || only == captured.kernel || only == task.kernel.name) {
      tasks.push_back(std::move(task));
    }
  }
  if (tasks.empty()) {
    throw TunerError(fmt::format("{} holds no problem of the kernel {}", flags.capture, only));
  }
  return tasks;
}

// What became of one problem.
struct Answer {
  std::string text;
  Json json;
  ExitCode code = ExitCode::ok;
};

// The model's choice can be shown without a compiler, too.
void refine_for_show(const TuneFlags& flags, const Kernel& kernel, Pruned& pruned) {
  try {
    CompilerPoolOptions options;
    options.use_cache = !flags.measuring.no_compile_cache;
    const std::unique_ptr<Compiler> compiler = make_compiler_pool(options);
    refine(kernel, flags.measuring.cache == "cold", flags.measuring.seed, *compiler,
           &InterruptGuard::flag(), pruned);
  } catch (const TunerError& error) {
    spdlog::warn("{} has no model, and nothing can be derived: {}", kernel.description().name,
                 error.what());
  }
}

Answer predict(const TuneFlags& flags, const Kernel& kernel) {
  check_memory(kernel);
  const auto begin = Clock::now();
  Pruned pruned = prune(kernel, flags.measuring.cache == "cold", flags.measuring.seed);
  if (lacks_model(kernel.description())) {
    refine_for_show(flags, kernel, pruned);
  } else {
    keep_likely(pruned);
  }
  if (const auto why = nothing_valid(kernel.space())) spdlog::error("{}", *why);
  const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return {predicted_summary(kernel, pruned), predicted_json(kernel, pruned, wall_s),
          pruned.candidates.empty() ? ExitCode::no_valid_config : ExitCode::ok};
}

ExitCode exit_code(const TuneOutcome& outcome) {
  if (outcome.search.interrupted || !outcome.search.device_lost.empty()) {
    return outcome.search.measured > 0 ? ExitCode::ended_early : ExitCode::interrupted;
  }
  return outcome.verdict.winner ? ExitCode::ok : ExitCode::no_valid_config;
}

class Tuning {
 public:
  Tuning(const TuneFlags& flags, ChosenDevice device)
      : flags_(flags),
        store_(configs_folders(flags.configs).write),
        bench_(flags.measuring, std::move(device)) {}

  Answer run(const Kernel& kernel) {
    store_.check_savable(kernel.description().name, kernel.device().id);
    if (const auto why = nothing_valid(kernel.space())) spdlog::error("{}", *why);
    TuneOptions options = options_of(kernel);
    const std::string& cache = flags_.measuring.cache;
    const std::filesystem::path path = flags_.measuring.journal.empty()
                                           ? default_journal(kernel, cache)
                                           : std::filesystem::path(flags_.measuring.journal);
    OpenJournal journal = open_journal(path, kernel, journal_header(kernel, cache, options.seed),
                                       flags_.measuring.fresh);
    for (const std::string& warning : journal.warnings) spdlog::warn("{}", warning);
    if (!journal.known.empty()) {
      spdlog::info("going on from {}: {} trials are known", path.string(), journal.known.size());
    }
    options.plan.known = journal.known;
    const TuneOutcome outcome = search(kernel, options, *journal.writer);
    Answer answer{tune_summary(kernel, outcome), tune_json(kernel, outcome), exit_code(outcome)};
    if (answer.code == ExitCode::ended_early || answer.code == ExitCode::interrupted) {
      answer.text +=
          fmt::format("ended early{}; the same command goes on from {}\n",
                      outcome.search.device_lost.empty() ? "" : ": " + outcome.search.device_lost,
                      path.string());
    } else {
      answer.text += keep(kernel, options, outcome);
      close_journal(std::move(journal), path);
    }
    return answer;
  }

 private:
  TuneOptions options_of(const Kernel& kernel) const {
    TuneOptions options = flags_.measuring.options();
    options.strategy = flags_.strategy;
    options.limits.patience = flags_.patience;
    if (const auto result = store_.load(kernel.description().name, kernel.device().id))
      options.plan.first = former_winners(*result, kernel);
    return options;
  }

  TuneOutcome search(const Kernel& kernel, const TuneOptions& options, JournalWriter& writer) {
    const std::vector<Measurer*> measurers = bench_.set_up(kernel, options.cache);
    Progress progress(kernel.space(), options.limits, !spdlog::should_log(spdlog::level::info));
    JournalObserver observer(kernel, writer, progress);
    return tune(kernel, options, bench_.compiler(), measurers, observer);
  }

  // Says where the winner went, as a line for people.
  std::string keep(const Kernel& kernel, const TuneOptions& options,
                   const TuneOutcome& outcome) const {
    std::optional<TunedEntry> entry =
        tuned_entry(kernel, options, outcome, bench_.device().driver_version);
    if (!entry) return "";
    const auto file = store_.save(kernel.description().name, kernel.device().id, std::move(*entry));
    return fmt::format("kept in   {}\n", file.string());
  }

  const TuneFlags& flags_;
  ResultStore store_;
  Bench bench_;
};

ExitCode run(const TuneFlags& flags, const Output& output) {
  const std::vector<Task> tasks =
      flags.capture.empty() ? typed_tasks(flags) : captured_tasks(flags);
  const ChosenDevice device = flags.device.choose();
  const bool measured = !device.gpus.empty() && !flags.dry_run;
  const InterruptGuard interrupt;
  std::unique_ptr<Tuning> tuning;
  if (measured) tuning = std::make_unique<Tuning>(flags, device);
  Json all = Json::array();
  ExitCode code = ExitCode::ok;
  for (const Task& task : tasks) {
    if (InterruptGuard::flag()) break;
    Kernel kernel(task.kernel, task.problem, device.profile);
    kernel = kernel.with_space(flags.problem.narrow(kernel.space()));
    Answer answer = measured ? tuning->run(kernel) : predict(flags, kernel);
    output.text(answer.text);
    all.push_back(std::move(answer.json));
    if (answer.code != ExitCode::ok) code = answer.code;
  }
  output.json(all.size() == 1 ? all.front() : all);
  return code;
}

}  // namespace

Action declare_tune(CLI::App& app) {
  auto flags = std::make_shared<TuneFlags>();
  flags->measuring.budget = 400;
  flags->measuring.time_s = 24;
  flags->problem.add_to(app);
  app.get_option("KERNEL")->required(false);
  app.add_option("--from-capture", flags->capture,
                 "tune the problems that an application was seen to run (TUNER_CAPTURE=FILE), the "
                 "most called first; of all kernels, or of KERNEL")
      ->type_name("FILE");
  flags->device.add_to(app);
  flags->measuring.add_to(app);
  std::vector<std::string> names;
  for (const search::StrategyEntry& entry : search::strategies()) names.emplace_back(entry.name);
  app.add_option("--strategy", flags->strategy, "how the next configurations are chosen")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--patience", flags->patience,
                 "end after so many configurations in a row that brought nothing better; 0: never")
      ->capture_default_str();
  app.add_option("--configs", flags->configs, "folder that the winner is kept in")
      ->type_name("DIR");
  app.add_flag("--dry-run", flags->dry_run, "only predict, also where there is a GPU");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
