#include "tuner/pipeline/verdict.h"

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

bool eligible(const Finalist& finalist) {
  return finalist.result.status == "ok" && finalist.result.verified && finalist.result.time_ns > 0;
}

std::size_t differences(const search::Config& a, const search::Config& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.choice.size(); ++i) count += a.choice[i] != b.choice[i] ? 1 : 0;
  return count;
}

}  // namespace

Verdict judge(const search::Space& space, std::span<const Finalist> finalists) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (eligible(finalists[i])) order.push_back(i);
  }
  Verdict verdict;
  if (order.empty()) return verdict;
  const auto time = [&](std::size_t i) { return finalists[i].result.time_ns; };
  const std::size_t fastest = *std::min_element(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  std::erase_if(order, [&](std::size_t i) {
    return i != fastest && finalists[i].result.low_ns > finalists[fastest].result.high_ns;
  });
  const search::Config plain = space.default_config();
  const auto rank = [&](std::size_t i) {
    return std::pair(differences(finalists[i].config, plain), time(i));
  };
  verdict.winner = *std::min_element(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::erase(order, *verdict.winner);
  verdict.ties = std::move(order);
  return verdict;
}

}  // namespace tuner
