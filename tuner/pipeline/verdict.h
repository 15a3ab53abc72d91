// Who won: the finalists' second measurement, read with its uncertainty.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/space.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/job.h"

namespace tuner {

struct Finalist {
  search::Config config;
  MeasureResult result;
  std::vector<CompiledEntry> compiled = {};  // empty where it is not known
};

struct Verdict {
  std::optional<std::size_t> winner;  // index into the finalists; nullopt where none is verified
  std::vector<std::size_t> ties;      // the others that cannot be told from the fastest
};

// The fastest verified finalist wins; those whose 95 % interval of the median overlaps its own are
// ties, and among them the one that differs from the default in the fewest parameters wins (then
// the faster).
Verdict judge(const search::Space& space, std::span<const Finalist> finalists);

}  // namespace tuner
