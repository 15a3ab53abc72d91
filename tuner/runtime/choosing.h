// Chooses a configuration for a problem: needs results and a device's limits, no GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/kernel/kernel.h"
#include "tuner/runtime/runtime.h"

namespace tuner::runtime {

struct Chosen {
  tuner::Kernel kernel;
  search::Config config;
  Selection selection;
  std::vector<std::string> warnings;  // stale results, damaged files, what was passed over
};

// The best rung among the results in `folders`; of those measured with a cold and a warm cache the
// better fit, of equals the cold one. Throws TunerError as choose_fallback().
Chosen choose(const tuner::Kernel& kernel, const std::vector<std::filesystem::path>& folders,
              bool allow_stale);

// The kernel's default configuration, or the valid one nearest to it. Throws TunerError
// (ExitCode::no_valid_config) where there is none.
Chosen choose_fallback(const tuner::Kernel& kernel);

}  // namespace tuner::runtime
