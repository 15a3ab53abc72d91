// What `tuner tune` says at its end: words for people, JSON for scripts (field names of
// docs/cli.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tuner/pipeline/tune.h"

namespace tuner {

std::string tune_summary(const Kernel& kernel, const TuneOutcome& outcome);
nlohmann::ordered_json tune_json(const Kernel& kernel, const TuneOutcome& outcome);

// Where nothing was measured: the model's order. Both say so.
std::string predicted_summary(const Kernel& kernel, const Pruned& pruned);
nlohmann::ordered_json predicted_json(const Kernel& kernel, const Pruned& pruned, double wall_s);

}  // namespace tuner
