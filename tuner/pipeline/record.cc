#include "tuner/pipeline/record.h"

#include "tuner/os/paths.h"
#include "tuner/pipeline/keep.h"

namespace tuner {
namespace {

RecordedTrial recorded(const Kernel& kernel, const TrialRecord& record) {
  RecordedTrial trial;
  for (std::size_t i = 0; i < kernel.space().parameters().size(); ++i) {
    trial.values.push_back(kernel.space().value(record.trial.config, i));
  }
  trial.status = record.trial.status;
  trial.time_ns = record.trial.time_ns;
  trial.low_ns = record.measured.low_ns;
  trial.high_ns = record.measured.high_ns;
  trial.samples = record.measured.samples;
  trial.compile_ms = record.compile_ms;
  trial.registers = record.registers;
  trial.spill_bytes = record.spill_bytes;
  trial.reason = record.trial.reason;
  return trial;
}

Recording recording_of(const Kernel& kernel, const TuneOptions& options,
                       const SearchOutcome& search, const std::string& driver) {
  Recording recording;
  recording.kernel = kernel.description().name;
  recording.problem = kernel.problem().axes;
  recording.cache = options.cache == CacheMode::cold ? "cold" : "warm";
  recording.device = kernel.device();
  for (const search::Parameter& parameter : kernel.space().parameters()) {
    recording.parameters.push_back({parameter.name, parameter.values});
  }
  for (const TrialRecord& record : search.trials)
    recording.trials.push_back(recorded(kernel, record));
  recording.source_hash = kernel_hash(kernel.description());
  recording.cuda = nvrtc_info().version;
  recording.driver = driver;
  recording.tool = tool_version();
  recording.date = utc_now();
  return recording;
}

}  // namespace

RecordOutcome record(const Kernel& kernel, TuneOptions options, Compiler& compiler,
                     std::span<Measurer* const> measurers, const std::string& driver,
                     SearchObserver& observer) {
  options.plan.prune = false;
  options.plan.may_abandon = false;
  search::StrategyInput input;
  input.space = &kernel.space();
  kernel.space().for_each([&](const search::Config& config) {
    input.candidates.push_back({config, 0});
    return true;
  });
  const auto strategy = search::make_strategy("exhaustive", std::move(input));
  RecordOutcome outcome;
  outcome.search = run_search(kernel, options.cache == CacheMode::cold, *strategy, compiler,
                              measurers, options.limits, options.plan, observer);
  outcome.recording = recording_of(kernel, options, outcome.search, driver);
  return outcome;
}

}  // namespace tuner
