// A learned correction of the model: ridge regression on what was measured.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "search/features.h"

namespace tuner::search {

struct Observation {
  Config config;
  double prior = 0;   // what is known of the target without learning
  double target = 0;  // what was observed
  double weight = 1;
};

// target ≈ prior + slope × (prior - mean prior) + a linear function of the features. It shrinks
// toward target = prior, so it is right to use from the first observation on. Cheap to evaluate:
// the fit is kept as one number a value and one a pair of parameters.
class Surrogate {
 public:
  explicit Surrogate(const Features& features);  // which must outlive it

  // O(n d² + d³) for d features; n should be a few hundred.
  void fit(std::span<const Observation> observations);
  double estimate(const Config& config, double prior) const;

 private:
  void unpack(const Eigen::VectorXd& weights);

  const Features* features_;
  double intercept_ = 0;
  double slope_ = 0;
  double mean_prior_ = 0;
  std::vector<std::vector<double>> value_effects_;  // by axis, by value
  std::vector<double> pair_effects_;                // of positions, i >= j, in the features' order
};

}  // namespace tuner::search
