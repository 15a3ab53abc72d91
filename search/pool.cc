#include "search/pool.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "search/random_index.h"

namespace tuner::search {
namespace {

constexpr std::size_t kSmallestHead = 64;
constexpr std::size_t kLargestHead = 1024;
constexpr double kHeadShare = 0.03;

// A prediction that is no time at all says nothing: it ranks last.
double log_or_last(double predicted_ns) {
  constexpr double kLast = 60;
  return predicted_ns > 0 && std::isfinite(predicted_ns) ? std::log(predicted_ns) : kLast;
}

// By how much an item's time would have to be better to be worth its likeness to what is picked: a
// near-duplicate of a pick must beat the others by half the head's spread.
double likeness_penalty(const Config& a, const Config& b) {
  const double parameters = static_cast<double>(std::max<std::size_t>(a.choice.size(), 1));
  const double likeness = 1 - static_cast<double>(differences(a, b)) / parameters;
  return likeness * likeness / 2;
}

}  // namespace

Pool::Pool(std::vector<Candidate> candidates, std::mt19937_64& random) {
  shuffle<Candidate>(candidates, random);
  items_.reserve(candidates.size());
  index_.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    if (!index_.try_emplace(candidate.config, 0).second) continue;
    items_.push_back({std::move(candidate.config), log_or_last(candidate.predicted_ns), false});
  }
  std::stable_sort(items_.begin(), items_.end(),
                   [](const Item& a, const Item& b) { return a.log_ns < b.log_ns; });
  for (std::size_t i = 0; i < items_.size(); ++i) index_[items_[i].config] = i;
  left_ = items_.size();
}

std::size_t Pool::skip_taken(std::size_t item) const {
  while (item < items_.size() && items_[item].taken) ++item;
  return item;
}

std::optional<std::size_t> Pool::find(const Config& config) const {
  const auto found = index_.find(config);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::size_t Pool::add(const Config& config, double predicted_ns) {
  index_.emplace(config, items_.size());
  items_.push_back({config, log_or_last(predicted_ns), false});
  ++left_;
  return items_.size() - 1;
}

void Pool::take(std::size_t item) {
  if (!std::exchange(items_[item].taken, true)) --left_;
}

std::optional<std::size_t> Pool::draw(std::mt19937_64& random) const {
  constexpr int kTries = 16;
  if (left_ == 0) return std::nullopt;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::size_t item = random_index(random, items_.size());
    if (!items_[item].taken) return item;
  }
  const std::size_t behind = skip_taken(random_index(random, items_.size()));
  return behind < items_.size() ? behind : skip_taken(0);
}

std::size_t differences(const Config& a, const Config& b) {
  return std::inner_product(a.choice.begin(), a.choice.end(), b.choice.begin(), std::size_t{0},
                            std::plus<>(), std::not_equal_to<>());
}

std::vector<std::size_t> diverse_head(const Pool& pool, std::size_t n) {
  const auto share =
      static_cast<std::size_t>(kHeadShare * static_cast<double>(pool.items().size()));
  const std::size_t size = std::clamp(share, kSmallestHead, kLargestHead);
  std::vector<std::size_t> head;
  for (std::size_t i = pool.skip_taken(0); i < pool.items().size() && head.size() < size;
       i = pool.skip_taken(i + 1)) {
    head.push_back(i);
  }
  if (head.empty()) return head;
  const double least = pool[head.front()].log_ns;
  const double spread = std::max(pool[head.back()].log_ns - least, 1e-9);
  std::vector<double> costs;
  costs.reserve(head.size());
  for (const std::size_t item : head) costs.push_back((pool[item].log_ns - least) / spread);
  std::vector<double> penalties(head.size(), 0);

  std::vector<std::size_t> picked;
  while (picked.size() < std::min(n, head.size())) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < head.size(); ++i) {
      if (costs[i] + penalties[i] < costs[best] + penalties[best]) best = i;
    }
    picked.push_back(head[best]);
    costs[best] = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < head.size(); ++i) {
      const double penalty = likeness_penalty(pool[head[i]].config, pool[head[best]].config);
      penalties[i] = std::max(penalties[i], penalty);
    }
  }
  return picked;
}

}  // namespace tuner::search
