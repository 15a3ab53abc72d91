// Keeps the compilers and the GPUs busy at once: asks the strategy, compiles ahead, prunes again
// with what was compiled, measures, and tells the strategy.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/measurer.h"

namespace tuner {

struct TrialRecord {
  search::Trial trial;
  MeasureJob job;  // what was measured; empty where it never came to that
  MeasureResult measured;
  double compile_ms = 0;
  bool compile_cached = false;
  int registers = 0;                    // most of any launch, a thread
  std::int64_t spill_bytes = 0;         // likewise
  std::vector<CompiledEntry> compiled;  // empty where this run did not compile it
};

// Called as things happen: progress, the journal. `started` comes from a measuring thread, one at a
// time; the others come from the thread that runs the search.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  virtual void started(const search::Config&) {}
  virtual void finished(const TrialRecord&) {}
  virtual void idle() {}  // several times a second
};

struct SearchLimits {
  std::size_t budget = 0;  // measured configurations; 0: no limit
  // 0: no limit. Overrun until a configuration was measured: making a large problem ready can take
  // seconds, and a search that ends with nothing serves nobody.
  std::chrono::milliseconds time{0};
  // Ends after so many measured configurations in a row that brought nothing better; 0: never.
  std::size_t patience = 0;
  const std::atomic<bool>* interrupted = nullptr;
};

// Where a search starts from, and how thorough it is.
struct SearchPlan {
  std::vector<search::Config> first;  // tried before the strategy is asked
  std::vector<TrialRecord> known;     // from a journal; they count as measured
  bool prune = true;                  // drop what the model sees no chance for, once compiled
  bool may_abandon = true;
};

struct SearchOutcome {
  std::vector<TrialRecord> trials;
  std::size_t compiled = 0, measured = 0, failed = 0, pruned = 0;
  std::map<std::string, std::size_t> failures;  // status -> count
  double compile_core_ms = 0, gpu_ms = 0;
  // Where the wall time of measuring went (summed over the GPUs), what asking the strategy took,
  // and how long measuring threads waited for something to measure.
  double verify_ms = 0, sampling_ms = 0, recheck_ms = 0, ask_ms = 0, starved_ms = 0;
  bool interrupted = false;
  bool converged = false;   // `patience` ran out
  std::string device_lost;  // why, where the search ended for that
};

// One measuring thread for each of `measurers` (a GPU each, all alike).
SearchOutcome run_search(const Kernel& kernel, bool cold, search::Strategy& strategy,
                         Compiler& compiler, std::span<Measurer* const> measurers,
                         const SearchLimits& limits, const SearchPlan& plan,
                         SearchObserver& observer);

}  // namespace tuner
