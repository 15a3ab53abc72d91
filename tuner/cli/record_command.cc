#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/progress.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/journaling.h"
#include "tuner/pipeline/record.h"

namespace tuner {
namespace {

struct RecordFlags {
  ProblemOptions problem;
  DeviceOption device;
  MeasuringFlags measuring;
  std::string output;
};

std::filesystem::path journal_path(const RecordFlags& flags) {
  return flags.measuring.journal.empty() ? std::filesystem::path(flags.output + ".jsonl")
                                         : std::filesystem::path(flags.measuring.journal);
}

nlohmann::ordered_json summary_json(const RecordOutcome& outcome, const std::string& file) {
  return {{"kernel", outcome.recording.kernel},     {"file", file},
          {"trials", outcome.search.trials.size()}, {"measured", outcome.search.measured},
          {"failed", outcome.search.failed},        {"failures", outcome.search.failures}};
}

ChosenDevice live_device(const RecordFlags& flags) {
  ChosenDevice device = flags.device.choose();
  if (!device.gpus.empty()) return device;
  throw TunerError(fmt::format("--device {}: a recording is measured, so it takes a GPU of this "
                               "machine (0, 1, … or all)",
                               flags.device.text),
                   ExitCode::no_device);
}

ExitCode run(const RecordFlags& flags, const Output& output) {
  check_writable(flags.output);
  const KernelDescription description = find_kernel(flags.problem.kernel);
  const Problem problem = resolve_problem(description, flags.problem.single_problem());
  const ChosenDevice device = live_device(flags);
  Kernel kernel(description, problem, device.profile);
  kernel = kernel.with_space(flags.problem.narrow(kernel.space()));
  const InterruptGuard interrupt;
  TuneOptions options = flags.measuring.options();
  Bench bench(flags.measuring, device);
  OpenJournal journal = open_journal(journal_path(flags), kernel,
                                     journal_header(kernel, flags.measuring.cache, options.seed),
                                     flags.measuring.fresh);
  for (const std::string& warning : journal.warnings) spdlog::warn("{}", warning);
  options.plan.known = journal.known;
  const auto measurers = bench.set_up(kernel, options.cache);
  RecordOutcome outcome;
  {
    Progress progress(kernel.space(), options.limits, !spdlog::should_log(spdlog::level::info));
    JournalObserver observer(kernel, *journal.writer, progress);
    outcome = record(kernel, options, bench.compiler(), measurers, device.driver_version, observer);
  }
  const bool early = outcome.search.interrupted || !outcome.search.device_lost.empty();
  if (early) {
    output.text(fmt::format("ended early after {} trials; the same command goes on from {}\n",
                            outcome.search.trials.size(), journal_path(flags).string()));
    return ExitCode::ended_early;
  }
  save_recording(flags.output, outcome.recording);
  close_journal(std::move(journal), journal_path(flags));
  output.text(fmt::format("{} trials ({} failed) in {}\n", outcome.search.trials.size(),
                          outcome.search.failed, flags.output));
  output.json(summary_json(outcome, flags.output));
  return ExitCode::ok;
}

}  // namespace

Action declare_record(CLI::App& app) {
  auto flags = std::make_shared<RecordFlags>();
  flags->problem.add_to(app);
  flags->device.add_to(app);
  flags->measuring.add_to(app);
  app.add_option("-o,--output", flags->output, "the recording, gzipped JSON")
      ->type_name("FILE")
      ->required();
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
