#include "search/surrogate.h"

#include <Eigen/Cholesky>

namespace tuner::search {
namespace {

// Ratios of noise variance to the variance that is expected of an effect: effects of single
// parameters are larger than those of pairs.
constexpr double kInterceptPenalty = 1e-3;
constexpr double kSlopePenalty = 0.1;
constexpr double kValuePenalty = 0.3;
constexpr double kPairPenalty = 1.0;

}  // namespace

Surrogate::Surrogate(const Features& features)
    : features_(&features), pair_effects_(features.size() - features.first_product(), 0) {
  for (const Features::Axis& axis : features.axes()) {
    value_effects_.emplace_back(axis.positions.size(), 0);
  }
}

void Surrogate::fit(std::span<const Observation> observations) {
  if (observations.empty()) return;
  double total = 0;
  mean_prior_ = 0;
  for (const Observation& seen : observations) {
    mean_prior_ += seen.weight * seen.prior;
    total += seen.weight;
  }
  mean_prior_ /= total;

  const auto rows = static_cast<Eigen::Index>(observations.size());
  const auto size = static_cast<Eigen::Index>(features_->size());
  Eigen::MatrixXd inputs(rows, size + 1);
  Eigen::VectorXd targets(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Observation& seen = observations[row];
    const double scale = std::sqrt(seen.weight);
    inputs.row(row).head(size) = scale * features_->of(seen.config).transpose();
    inputs(row, size) = scale * (seen.prior - mean_prior_);
    targets[row] = scale * (seen.target - seen.prior);
  }
  Eigen::VectorXd penalties(size + 1);
  penalties.setConstant(kValuePenalty);
  penalties[0] = kInterceptPenalty;
  const auto first_product = static_cast<Eigen::Index>(features_->first_product());
  penalties.segment(first_product, size - first_product).setConstant(kPairPenalty);
  penalties[size] = kSlopePenalty;

  Eigen::MatrixXd normal = penalties.asDiagonal();
  normal.selfadjointView<Eigen::Lower>().rankUpdate(inputs.transpose());
  const Eigen::VectorXd right = inputs.transpose() * targets;
  unpack(normal.selfadjointView<Eigen::Lower>().llt().solve(right));
}

void Surrogate::unpack(const Eigen::VectorXd& weights) {
  intercept_ = weights[0];
  slope_ = weights[weights.size() - 1];
  const std::vector<Features::Axis>& axes = features_->axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t choice = 0; choice < axes[i].positions.size(); ++choice) {
      double effect = weights[static_cast<Eigen::Index>(i) + 1] * axes[i].positions[choice];
      if (axes[i].indicators >= 0) {
        effect += weights[axes[i].indicators + static_cast<Eigen::Index>(choice)];
      }
      value_effects_[i][choice] = effect;
    }
  }
  for (std::size_t i = 0; i < pair_effects_.size(); ++i) {
    pair_effects_[i] = weights[static_cast<Eigen::Index>(features_->first_product() + i)];
  }
}

double Surrogate::estimate(const Config& config, double prior) const {
  double sum = prior + intercept_ + slope_ * (prior - mean_prior_);
  const std::vector<Features::Axis>& axes = features_->axes();
  std::size_t pair = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t choice = config.choice[axes[i].parameter];
    double weight = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      weight += pair_effects_[pair++] * axes[j].positions[config.choice[axes[j].parameter]];
    }
    sum += value_effects_[i][choice] + weight * axes[i].positions[choice];
  }
  return sum;
}

}  // namespace tuner::search
