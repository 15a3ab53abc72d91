// What `explain` shows of a configuration: text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/estimate.h"
#include "tuner/kernel/kernel.h"
#include "tuner/report/counters.h"

namespace tuner {

// Refers to what the caller holds.
struct Explanation {
  const Kernel& kernel;
  const search::Config& config;
  const models::KernelShape& shape;
  const models::Estimate& estimate;
  std::vector<CounterRow> counters = {};  // a launch each, where they were read
};

// The fields of `occupancy` and the compiled facts are those of the first launch; `launches` has
// them all. Times in ms; predicted_ms is null where the configuration cannot launch.
nlohmann::ordered_json explanation_json(const Explanation& explanation);

std::string explanation_text(const Explanation& explanation, bool color);

}  // namespace tuner
