#include "tuner/pipeline/tune.h"

#include <algorithm>

#include "tuner/pipeline/refine.h"
#include "tuner/pipeline/setup.h"

namespace tuner {
namespace {

constexpr std::string_view kModelStrategy = "model";  // the one that the scores matter to

std::vector<const TrialRecord*> fastest_trials(const SearchOutcome& search, std::size_t n) {
  std::vector<const TrialRecord*> ranked;
  for (const TrialRecord& record : search.trials) {
    if (record.trial.status == search::Status::ok && !record.trial.abandoned)
      ranked.push_back(&record);
  }
  std::sort(ranked.begin(), ranked.end(), [](const TrialRecord* a, const TrialRecord* b) {
    return a->trial.time_ns < b->trial.time_ns;
  });
  ranked.resize(std::min(n, ranked.size()));
  return ranked;
}

void measure_finalists(const Kernel& kernel, const TuneOptions& options, Compiler& compiler,
                       Measurer& measurer, TuneOutcome& outcome) {
  CompareJob compare;
  compare.rounds = options.rounds;
  compare.seed = options.seed;
  for (const TrialRecord* record : fastest_trials(outcome.search, options.finalists)) {
    // What a journal tells of was compiled by an earlier run.
    ReadyJob ready = record->job.steps.empty() ? make_job(kernel, compiler, record->trial.config)
                                               : ReadyJob{record->job, "", record->compiled};
    if (!ready.job) continue;
    outcome.finalists.push_back({record->trial.config, {}, std::move(ready.compiled)});
    compare.jobs.push_back(std::move(*ready.job));
  }
  if (compare.jobs.empty()) return;
  const auto plain = kernel.space().nearest_valid_to_default();
  const auto found =
      std::find_if(outcome.finalists.begin(), outcome.finalists.end(),
                   [&](const Finalist& finalist) { return finalist.config == *plain; });
  if (found != outcome.finalists.end()) {
    outcome.default_finalist = static_cast<std::size_t>(found - outcome.finalists.begin());
  } else if (ReadyJob ready = make_job(kernel, compiler, *plain); ready.job) {
    outcome.default_finalist = outcome.finalists.size();
    outcome.finalists.push_back({*plain, {}, std::move(ready.compiled)});
    compare.jobs.push_back(std::move(*ready.job));
  }
  const std::vector<MeasureResult> results = measurer.compare(compare);
  for (std::size_t i = 0; i < results.size(); ++i) outcome.finalists[i].result = results[i];
  outcome.verdict = judge(kernel.space(), outcome.finalists);
}

// After an interrupt there is no second measurement: the search's own results stand.
void judge_search_alone(const Kernel& kernel, const TuneOptions& options, TuneOutcome& outcome) {
  for (const TrialRecord* record : fastest_trials(outcome.search, options.finalists)) {
    if (record->measured.verified)
      outcome.finalists.push_back({record->trial.config, record->measured, record->compiled});
  }
  outcome.verdict = judge(kernel.space(), outcome.finalists);
}

}  // namespace

TuneOutcome tune(const Kernel& kernel, const TuneOptions& options, Compiler& compiler,
                 std::span<Measurer* const> measurers, SearchObserver& observer) {
  const auto begin = std::chrono::steady_clock::now();
  const bool cold = options.cache == CacheMode::cold;
  TuneOutcome outcome;
  outcome.pruned = prune(kernel, cold, options.seed);
  std::unique_ptr<const Refinement> refinement;
  if (options.strategy == kModelStrategy && lacks_model(kernel.description())) {
    refinement =
        refine(kernel, cold, options.seed, compiler, options.limits.interrupted, outcome.pruned);
  }
  if (options.strategy == kModelStrategy && !refinement) keep_likely(outcome.pruned);
  search::StrategyInput input;
  input.space = &kernel.space();
  input.candidates = outcome.pruned.candidates;
  input.predict = [&kernel, &refinement, cold](const search::Config& config) {
    std::optional<double> predicted = predict_ns(kernel, config, cold);
    if (predicted && refinement) predicted = refinement->corrected_ns(config, *predicted);
    return predicted;
  };
  input.seed = options.seed;
  const auto strategy = search::make_strategy(options.strategy, std::move(input));
  outcome.search = run_search(kernel, cold, *strategy, compiler, measurers, options.limits,
                              options.plan, observer);
  if (outcome.search.interrupted || !outcome.search.device_lost.empty()) {
    judge_search_alone(kernel, options, outcome);
  } else {
    measure_finalists(kernel, options, compiler, *measurers.front(), outcome);
  }
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

std::vector<search::Candidate> best_predicted(const Pruned& pruned, std::size_t n) {
  std::vector<search::Candidate> best = pruned.candidates;
  std::sort(best.begin(), best.end(),
            [](const auto& a, const auto& b) { return a.predicted_ns < b.predicted_ns; });
  best.resize(std::min(n, best.size()));
  return best;
}

}  // namespace tuner
