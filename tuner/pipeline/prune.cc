#include "tuner/pipeline/prune.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "models/estimate.h"
#include "tuner/kernel/access_memo.h"

namespace tuner {
namespace {

models::Score static_score(const Kernel& kernel, const search::Config& config, bool cold,
                           AccessMemo* memo) {
  models::KernelShape shape = kernel.shape(config, {}, memo);
  shape.cold = cold;
  return models::score(kernel.device(), shape);
}

struct Part {
  std::vector<search::Candidate> candidates;
  std::map<std::string, std::uint64_t> dropped;
  std::exception_ptr error;
};

void score(const Kernel& kernel, std::span<const search::Config> configs, bool cold, Part& part) {
  try {
    AccessMemo memo;
    for (const search::Config& config : configs) {
      const models::Score score = static_score(kernel, config, cold, &memo);
      if (score.keep) {
        part.candidates.push_back({config, score.time_ns});
      } else {
        ++part.dropped[score.drop_reason];
      }
    }
  } catch (...) {
    part.error = std::current_exception();
  }
}

}  // namespace

Pruned prune(const Kernel& kernel, bool cold, std::uint64_t seed) {
  Pruned pruned;
  std::vector<search::Config> configs = kernel.space().materialize(kScoredAtMost + 1);
  pruned.sampled = configs.size() > kScoredAtMost;
  if (pruned.sampled) {
    std::mt19937_64 random(seed);
    configs = kernel.space().sample(kScoredAtMost, random);
  }
  pruned.valid = configs.size();

  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t share = (configs.size() + threads - 1) / threads;
  std::vector<Part> parts(threads);
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads && t * share < configs.size(); ++t) {
      const auto slice =
          std::span(configs).subspan(t * share, std::min(share, configs.size() - t * share));
      pool.emplace_back(
          [&kernel, slice, cold, &part = parts[t]] { score(kernel, slice, cold, part); });
    }
  }
  for (Part& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
    std::move(part.candidates.begin(), part.candidates.end(),
              std::back_inserter(pruned.candidates));
    for (const auto& [reason, count] : part.dropped) pruned.dropped[reason] += count;
  }
  return pruned;
}

std::vector<bool> likely(std::span<const double> predicted_ns) {
  constexpr std::size_t kPercent = 3, kLeast = 8, kWhole = 100;
  const std::size_t share = (predicted_ns.size() * kPercent + kWhole - 1) / kWhole;
  const std::size_t count = std::min(predicted_ns.size(), std::max(kLeast, share));
  std::vector<std::size_t> order(predicted_ns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return predicted_ns[i]; });
  std::vector<bool> result(predicted_ns.size(), false);
  for (std::size_t i = 0; i < count; ++i) result[order[i]] = true;
  return result;
}

void keep_likely(Pruned& pruned) {
  std::vector<double> times;
  times.reserve(pruned.candidates.size());
  for (const search::Candidate& candidate : pruned.candidates)
    times.push_back(candidate.predicted_ns);
  const std::vector<bool> keep = likely(times);
  std::vector<search::Candidate> kept;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) kept.push_back(std::move(pruned.candidates[i]));
  }
  if (kept.size() < keep.size())
    pruned.dropped["unlikely by the model"] += keep.size() - kept.size();
  pruned.candidates = std::move(kept);
}

std::optional<double> predict_ns(const Kernel& kernel, const search::Config& config, bool cold) {
  const models::Score score = static_score(kernel, config, cold, nullptr);
  if (!score.keep) return std::nullopt;
  return score.time_ns;
}

}  // namespace tuner
