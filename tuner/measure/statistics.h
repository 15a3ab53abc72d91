// Medians and their uncertainty, and when enough samples are taken.
#pragma once

#include <span>
#include <vector>

#include "tuner/measure/job.h"

namespace tuner {

// 0 of nothing.
double median(std::span<const double> samples);

// The 95 % confidence interval of the median by order statistics (no assumption of a distribution):
// from the k-th smallest to the k-th largest sample, k the largest with P(Binomial(n, 1/2) < k) <=
// 0.025. Below six samples there is none that sure; the whole range stands in for it.
struct Interval {
  double low = 0, high = 0;
};
Interval median_interval(std::span<const double> samples);

// Follows a SamplingRule through the samples of one configuration.
class Sampler {
 public:
  // incumbent_ns: 0 for none, or where nothing may be abandoned.
  Sampler(const SamplingRule& rule, double incumbent_ns)
      : rule_(rule), incumbent_ns_(incumbent_ns) {}

  // spent_ms: GPU time that taking it took.
  void add(double sample_ns, double spent_ms);
  // Time that went by with no sample to show for it.
  void spend(double spent_ms) { spent_ms_ += spent_ms; }

  enum class Next { more, done, abandon };
  // Abandons after two samples (one where it used up max_ms by itself) if the fastest is more than
  // abandon_factor times the incumbent. Done after max_samples; from min_samples on when the
  // interval is narrow; when max_ms is over and three samples are there; when ten times max_ms is
  // over.
  Next next() const;
  // How many samples to take before asking again, given what one takes.
  int group_size(double sample_ms) const;
  const std::vector<double>& samples() const { return samples_; }

 private:
  SamplingRule rule_;
  double incumbent_ns_;
  std::vector<double> samples_;
  double spent_ms_ = 0;
};

// Fills in time_ns, low_ns, high_ns, relative_spread, samples and samples_ns.
void summarise(std::vector<double> samples, MeasureResult& result);

}  // namespace tuner
