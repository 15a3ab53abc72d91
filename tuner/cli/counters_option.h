// --counters: hardware counters beside the model's values.
#pragma once

#include <CLI/CLI.hpp>

#include "tuner/cli/device_option.h"
#include "tuner/pipeline/counting.h"

namespace tuner {

void add_counters_flag(CLI::App& app, bool& counters);

// Empty where they are not asked for; `by_access`: also the accesses of each launch. Throws
// TunerError where there is no GPU to count on, or no ncu.
ReadCounters counters_if(bool asked, const ChosenDevice& device, bool by_access = false);

}  // namespace tuner
