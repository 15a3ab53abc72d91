// Runs a strategy against times that are known, as a tuning run would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "search/strategy.h"

namespace tuner::search {

struct Replay {
  std::function<Trial(const Config&)> measure;
  std::size_t budget = 200;
  std::size_t batch = 8;
  double enough_ns = 0;  // stop once a trial is as fast
};

// The best time after each trial; infinity as long as none ran.
inline std::vector<double> best_after_each(std::string_view name, StrategyInput input,
                                           const Replay& replay) {
  const auto strategy = make_strategy(name, std::move(input));
  std::vector<double> best;
  double so_far = std::numeric_limits<double>::infinity();
  while (best.size() < replay.budget && so_far > replay.enough_ns && !strategy->exhausted()) {
    std::vector<Trial> trials;
    for (const Config& config : strategy->ask(replay.batch)) {
      trials.push_back(replay.measure(config));
      const Trial& trial = trials.back();
      if (trial.status == Status::ok && trial.time_ns < so_far) so_far = trial.time_ns;
      best.push_back(so_far);
    }
    if (trials.empty()) break;
    strategy->tell(trials);
  }
  best.resize(replay.budget, so_far);
  return best;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tuner::search
