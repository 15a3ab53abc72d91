// Turns a verdict into the entry that is stored, with its provenance.
#pragma once

#include <optional>
#include <string>

#include "tuner/pipeline/tune.h"
#include "tuner/select/query.h"
#include "tuner/store/result.h"

namespace tuner {

// nullopt where there is no winner.
std::optional<TunedEntry> tuned_entry(const Kernel& kernel, const TuneOptions& options,
                                      const TuneOutcome& outcome, const std::string& driver);

}  // namespace tuner
