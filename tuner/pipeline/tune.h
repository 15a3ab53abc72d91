// The main job: from a bound kernel to a verified winner, or to what the model would choose.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/pipeline/prune.h"
#include "tuner/pipeline/scheduler.h"
#include "tuner/pipeline/verdict.h"

namespace tuner {

struct TuneOptions {
  std::string strategy = "model";
  SearchLimits limits;
  SearchPlan plan;
  std::uint64_t seed = 0;
  CacheMode cache = CacheMode::cold;
  std::size_t finalists = 5;  // the default configuration comes on top
  int rounds = 15;
};

struct TuneOutcome {
  Pruned pruned;
  SearchOutcome search;
  std::vector<Finalist> finalists;
  Verdict verdict;
  std::optional<std::size_t> default_finalist;  // index into finalists
  double wall_s = 0;
};

// Measures on the GPUs behind `measurers`, which were made for make_setup(kernel, …).
TuneOutcome tune(const Kernel& kernel, const TuneOptions& options, Compiler& compiler,
                 std::span<Measurer* const> measurers, SearchObserver& observer);

// The candidates that the model thinks fastest, best first; nothing is compiled or measured.
std::vector<search::Candidate> best_predicted(const Pruned& pruned, std::size_t n);

}  // namespace tuner
