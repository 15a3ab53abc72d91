// The valid configuration that is nearest to the default one.
#include <algorithm>
#include <numeric>

#include "search/space.h"
#include "search/visit_plan.h"
#include "search/walk.h"

namespace tuner::search {
namespace {

constexpr std::uint64_t kMostSteps = 2'000'000;

// Depth-first over the points that differ from the default in at most so many parameters, values
// near the default first.
class NearestSearch {
 public:
  NearestSearch(const VisitPlan& plan, const Config& start)
      : plan_(plan),
        start_(start),
        config_(start),
        cells_(plan.base_cells()),
        verdicts_(plan.depths()),
        steps_left_(kMostSteps) {}

  bool find(std::size_t changes) { return find_below(0, changes); }
  bool gave_up() const { return steps_left_ == 0; }
  const Config& config() const { return config_; }

 private:
  bool find_below(std::size_t depth, std::size_t changes) {
    if (depth == plan_.depths()) return plan_.holds(config_);
    if (steps_left_ == 0) return false;
    --steps_left_;
    plan_.verdicts(depth, config_, cells_, verdicts_[depth]);
    const int home = start_.choice[plan_.parameter_at(depth)];
    const int last = static_cast<int>(verdicts_[depth].size()) - 1;
    if (try_choice(depth, home, changes)) return true;
    if (changes == 0) return false;
    for (int distance = 1; distance <= std::max(home, last - home); ++distance) {
      if (home + distance <= last && try_choice(depth, home + distance, changes - 1)) return true;
      if (home >= distance && try_choice(depth, home - distance, changes - 1)) return true;
    }
    return false;
  }

  bool try_choice(std::size_t depth, int choice, std::size_t changes) {
    if (verdicts_[depth][choice] == kFails) return false;
    const std::size_t parameter = plan_.parameter_at(depth);
    config_.choice[parameter] = static_cast<std::uint16_t>(choice);
    plan_.bind(parameter, choice, cells_);
    return find_below(depth + 1, changes);
  }

  const VisitPlan& plan_;
  const Config& start_;
  Config config_;
  std::vector<expr::Cell> cells_;
  std::vector<std::vector<Verdict>> verdicts_;
  std::uint64_t steps_left_;
};

std::size_t differences(const Config& a, const Config& b) {
  return std::inner_product(a.choice.begin(), a.choice.end(), b.choice.begin(), std::size_t{0},
                            std::plus<>(), std::not_equal_to<>());
}

}  // namespace

std::optional<Config> Space::nearest_valid_to_default() const {
  if (plan_->never()) return std::nullopt;
  const Config start = default_config();
  NearestSearch search(*plan_, start);
  for (std::size_t changes = 0; changes <= parameters_.size(); ++changes) {
    if (search.find(changes)) return search.config();
    if (search.gave_up()) break;
  }
  // A point this far from the default is hard to find: take the best of the first that turn up, and
  // look further only for the very first.
  std::optional<Config> best;
  Walk within(plan_, kMostSteps);
  while (within.next()) {
    if (!best || differences(within.config(), start) < differences(*best, start)) {
      best = within.config();
    }
  }
  if (best || !within.cut_short()) return best;
  Walk unlimited(plan_);
  if (unlimited.next()) return unlimited.config();
  return std::nullopt;
}

}  // namespace tuner::search
