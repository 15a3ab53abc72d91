// The first prune: the model looks at every valid configuration before anything is compiled.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

struct Pruned {
  std::vector<search::Candidate> candidates;     // in the space's order
  std::map<std::string, std::uint64_t> dropped;  // reason -> configurations
  std::uint64_t valid = 0;
  bool sampled = false;  // the space was too large to look at as a whole
  // Of what was compiled to put the scores right (tuner/pipeline/refine.h), the estimate in words.
  std::map<search::Config, std::string> derived_words;
};

inline constexpr std::size_t kScoredAtMost = 200000;

// Scores on all cores. Where more than kScoredAtMost configurations are valid, a random sample of
// as many.
Pruned prune(const Kernel& kernel, bool cold, std::uint64_t seed);

// Which of the model's times the default strategy begins with: the first 3 %, and 8 at least.
// Equals count in the order in which they are given. Recordings hold something within 1 % of the
// best among them, nearly all (docs/model.md).
std::vector<bool> likely(std::span<const double> predicted_ns);

// Drops all but the likely ones. The strategy still goes to neighbours of what is fast, and on to
// others once nothing is left.
void keep_likely(Pruned& pruned);

// The model's time of one configuration; nullopt where the prune drops it.
std::optional<double> predict_ns(const Kernel& kernel, const search::Config& config, bool cold);

}  // namespace tuner
