#include "tuner/pipeline/former_winners.h"

#include <algorithm>
#include <limits>

#include "tuner/pipeline/keep.h"

namespace tuner {
namespace {

struct Former {
  double distance = 0;
  const TunedEntry* entry = nullptr;
};

std::vector<Former> by_distance(const TunedResult& result, const Kernel& kernel) {
  LookupQuery query = lookup_query(kernel, "");
  query.size_factor = std::numeric_limits<double>::infinity();
  std::vector<Former> former;
  for (const TunedEntry& entry : result.entries) {
    if (!query.is_valid(entry.winner.config)) continue;
    if (const auto distance = problem_distance(query, entry.problem))
      former.push_back({*distance, &entry});
  }
  std::stable_sort(former.begin(), former.end(),
                   [](const Former& a, const Former& b) { return a.distance < b.distance; });
  return former;
}

}  // namespace

std::vector<search::Config> former_winners(const TunedResult& result, const Kernel& kernel,
                                           std::size_t others) {
  std::vector<search::Config> configs;
  for (const Former& former : by_distance(result, kernel)) {
    if (former.distance > 0 && others == 0) break;
    const search::Config config = kernel.space().from_values(former.entry->winner.config);
    if (std::find(configs.begin(), configs.end(), config) != configs.end()) continue;
    configs.push_back(config);
    if (former.distance > 0) --others;
  }
  return configs;
}

}  // namespace tuner
