// Uniform samples of a space. Where a walk shows it to be small, a shuffle of it; elsewhere
// descents that bind one parameter after another, each made as likely as all others by rejection: a
// descent that meets a_1, a_2, … values alive is kept with probability (a_1/m_1)(a_2/m_2)…, where
// m_d is the most values alive that any descent has met at depth d.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "search/random_index.h"
#include "search/space.h"
#include "search/visit_plan.h"
#include "search/walk.h"

namespace tuner::search {
namespace {

constexpr std::uint64_t kSmallWalkSteps = std::uint64_t{1} << 19U;
constexpr std::size_t kPilotDescents = 2000;  // which only learn m_d
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 24U;
constexpr std::uint64_t kStepsEach = std::uint64_t{1}
                                     << 16U;  // spent on one configuration, at most

class Descents {
 public:
  Descents(const VisitPlan& plan, std::mt19937_64& random)
      : plan_(plan), random_(random), cells_(plan.base_cells()), most_alive_(plan.depths(), 1) {
    config_.choice.resize(plan.depths());
  }

  // Whether it arrives at a configuration; without `even`, nothing is rejected.
  bool descend(bool even) {
    Verdict reached = kHolds;
    for (std::size_t depth = 0; depth < plan_.depths(); ++depth) {
      ++steps_;
      plan_.verdicts(depth, config_, cells_, verdicts_);
      const std::size_t alive =
          verdicts_.size() - std::count(verdicts_.begin(), verdicts_.end(), kFails);
      most_alive_[depth] = std::max(most_alive_[depth], alive);
      if (alive == 0) return false;
      if (even && random_index(random_, most_alive_[depth]) >= alive) return false;
      reached &= choose(depth, random_index(random_, alive));
    }
    if (reached == kErrs) plan_.throw_error(config_);
    return true;
  }

  const Config& config() const { return config_; }
  std::uint64_t steps() const { return steps_; }

 private:
  Verdict choose(std::size_t depth, std::size_t nth_alive) {
    std::size_t choice = 0;
    for (;; ++choice) {
      if (verdicts_[choice] == kFails) continue;
      if (nth_alive-- == 0) break;
    }
    const std::size_t parameter = plan_.parameter_at(depth);
    config_.choice[parameter] = static_cast<std::uint16_t>(choice);
    plan_.bind(parameter, choice, cells_);
    return verdicts_[choice];
  }

  const VisitPlan& plan_;
  std::mt19937_64& random_;
  std::vector<expr::Cell> cells_;
  std::vector<std::size_t> most_alive_;
  std::vector<Verdict> verdicts_;
  Config config_;
  std::uint64_t steps_ = 0;
};

std::vector<Config> sample_by_descents(const VisitPlan& plan, std::size_t n,
                                       std::mt19937_64& random) {
  std::unordered_set<Config, ConfigHash> seen;
  std::vector<Config> drawn;
  Descents descents(plan, random);
  for (std::size_t i = 0; i < kPilotDescents; ++i) descents.descend(false);
  const auto draw_while = [&](std::uint64_t last_step, bool even) {
    const std::uint64_t limit = std::min(last_step, descents.steps() + kStepsEach * n);
    while (drawn.size() < n && descents.steps() < limit) {
      if (!descents.descend(even)) continue;
      if (seen.insert(descents.config()).second) drawn.push_back(descents.config());
    }
  };
  draw_while(kMostSteps, true);
  draw_while(2 * kMostSteps, false);  // uneven is better than none
  return drawn;
}

}  // namespace

std::vector<Config> Space::sample(std::size_t n, std::mt19937_64& random) const {
  if (n == 0) return {};
  Walk walk(plan_, kSmallWalkSteps);
  std::vector<Config> configs;
  while (walk.next()) configs.push_back(walk.config());
  if (walk.cut_short()) {
    std::vector<Config> drawn = sample_by_descents(*plan_, n, random);
    if (!drawn.empty()) return drawn;
  }
  shuffle<Config>(configs, random);  // all there is, or all that was found
  if (configs.size() > n) configs.resize(n);
  return configs;
}

}  // namespace tuner::search
