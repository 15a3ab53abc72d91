// Measures a whole space, pruning and abandoning nothing, for others to test search and model on.
#pragma once

#include "tuner/pipeline/tune.h"
#include "tuner/store/recording.h"

namespace tuner {

struct RecordOutcome {
  SearchOutcome search;
  Recording recording;
};
// Of `options`, the strategy, the plan's first configurations and the finalists do not matter.
RecordOutcome record(const Kernel& kernel, TuneOptions options, Compiler& compiler,
                     std::span<Measurer* const> measurers, const std::string& driver,
                     SearchObserver& observer);

}  // namespace tuner
