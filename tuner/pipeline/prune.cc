#include "tuner/pipeline/prune.h"

#include <algorithm>
#include <random>
#include <thread>

#include "models/estimate.h"
#include "tuner/kernel/access_memo.h"

namespace tuner {
namespace {

models::Estimate static_estimate(const Kernel& kernel, const search::Config& config, bool cold,
                                 AccessMemo* memo) {
  models::KernelShape shape = kernel.shape(config, {}, memo);
  shape.cold = cold;
  return models::estimate(kernel.device(), shape);
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
      const models::Estimate estimate = static_estimate(kernel, config, cold, &memo);
      if (estimate.keep) {
        part.candidates.push_back({config, estimate.time_ns});
      } else {
        ++part.dropped[estimate.drop_reason];
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

std::size_t likely_count(std::size_t scored) {
  constexpr std::size_t kPercent = 3, kLeast = 8;
  return std::min(scored, std::max(kLeast, (scored * kPercent + 99) / 100));
}

void keep_likely(Pruned& pruned) {
  std::vector<search::Candidate>& all = pruned.candidates;
  const std::size_t likely = likely_count(all.size());
  if (likely == all.size()) return;
  std::vector<double> times;
  times.reserve(all.size());
  for (const search::Candidate& candidate : all) times.push_back(candidate.predicted_ns);
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(likely) - 1;
  std::nth_element(times.begin(), last, times.end());
  // Equals of the last one stay as long as there is room, in the space's order.
  std::size_t room =
      likely -
      static_cast<std::size_t>(std::ranges::count_if(
          all, [&](const search::Candidate& candidate) { return candidate.predicted_ns < *last; }));
  pruned.dropped["unlikely by the model"] += all.size() - likely;
  std::erase_if(all, [&](const search::Candidate& candidate) {
    if (candidate.predicted_ns != *last) return candidate.predicted_ns > *last;
    if (room == 0) return true;
    --room;
    return false;
  });
}

std::optional<double> predict_ns(const Kernel& kernel, const search::Config& config, bool cold) {
  const models::Estimate estimate = static_estimate(kernel, config, cold, nullptr);
  if (!estimate.keep) return std::nullopt;
  return estimate.time_ns;
}

}  // namespace tuner
