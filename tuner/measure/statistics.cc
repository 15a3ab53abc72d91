#include "tuner/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tuner {
namespace {

constexpr int kGroup = 5;
constexpr std::size_t kSamplesDespiteTime = 3;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> result(samples.begin(), samples.end());
  std::sort(result.begin(), result.end());
  return result;
}

// k of the interval, counted from 1; 0 where there is none.
std::size_t interval_rank(std::size_t n) {
  if (n > 1000) {  // 2^-n underflows in the end, and the normal law is as good
    const auto count = static_cast<double>(n);
    return static_cast<std::size_t>((count - 1.96 * std::sqrt(count)) / 2);
  }
  double term = std::pow(0.5, static_cast<double>(n));  // P(X = k)
  double below = 0;                                     // P(X < k)
  std::size_t k = 0;
  while (k < n / 2) {
    below += term;
    if (below > 0.025) break;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

double middle(const std::vector<double>& ordered) {
  if (ordered.empty()) return 0;
  const std::size_t half = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

}  // namespace

double median(std::span<const double> samples) { return middle(sorted(samples)); }

Interval median_interval(std::span<const double> samples) {
  if (samples.empty()) return {};
  const std::vector<double> ordered = sorted(samples);
  const std::size_t k = std::max<std::size_t>(interval_rank(ordered.size()), 1);
  return {ordered[k - 1], ordered[ordered.size() - k]};
}

void Sampler::add(double sample_ns, double spent_ms) {
  samples_.push_back(sample_ns);
  spend(spent_ms);
}

Sampler::Next Sampler::next() const {
  if (samples_.empty()) return Next::more;
  const std::size_t count = samples_.size();
  if (incumbent_ns_ > 0 && (count >= 2 || spent_ms_ >= rule_.max_ms)) {
    const double fastest = *std::min_element(samples_.begin(), samples_.end());
    if (fastest > rule_.abandon_factor * incumbent_ns_) return Next::abandon;
  }
  if (count >= static_cast<std::size_t>(std::max(rule_.max_samples, 1))) return Next::done;
  if (spent_ms_ >= rule_.max_ms && count >= kSamplesDespiteTime) return Next::done;
  if (spent_ms_ >= 10 * rule_.max_ms) return Next::done;
  if (count < static_cast<std::size_t>(std::max(rule_.min_samples, 1))) return Next::more;
  const Interval interval = median_interval(samples_);
  const double half_width = (interval.high - interval.low) / 2;
  return half_width <= rule_.relative_error * median(samples_) ? Next::done : Next::more;
}

int Sampler::group_size(double sample_ms) const {
  const int taken = static_cast<int>(samples_.size());
  const bool may_abandon = incumbent_ns_ > 0 && taken < 2;
  int size = may_abandon                 ? 2 - taken
             : taken < rule_.min_samples ? rule_.min_samples - taken
                                         : kGroup;
  size = std::min(size, rule_.max_samples - taken);
  const double left = rule_.max_ms - spent_ms_;
  if (sample_ms > 0 && size * sample_ms > left)
    size = static_cast<int>(std::max(left, 0.0) / sample_ms);
  return std::clamp(size, 1, 64);
}

void summarise(std::vector<double> samples, MeasureResult& result) {
  result.time_ns = median(samples);
  const Interval interval = median_interval(samples);
  result.low_ns = interval.low;
  result.high_ns = interval.high;
  result.relative_spread =
      result.time_ns > 0 ? (interval.high - interval.low) / (2 * result.time_ns) : 0;
  result.samples = static_cast<int>(samples.size());
  result.samples_ns = std::move(samples);
}

}  // namespace tuner
