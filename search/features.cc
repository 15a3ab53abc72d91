#include "search/features.h"

#include <algorithm>
#include <cmath>

namespace tuner::search {
namespace {

constexpr std::size_t kMostIndicators = 16;

double number(const Value& value, std::size_t index) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return static_cast<double>(index);
}

std::vector<double> positions_of(const std::vector<Value>& values) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) numbers.push_back(number(values[i], i));
  auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  if (*least > 0 && *greatest > 4 * *least) {
    for (double& x : numbers) x = std::log2(x);
  }
  const double low = *least;
  const double span = *greatest - low;
  for (double& x : numbers) x = span > 0 ? 2 * (x - low) / span - 1 : 0;
  return numbers;
}

}  // namespace

Features::Features(const Space& space) {
  const std::vector<Parameter>& parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].values.size() > 1) axes_.push_back({i, positions_of(parameters[i].values)});
  }
  size_ = 1 + axes_.size();
  for (Axis& axis : axes_) {
    const std::size_t values = axis.positions.size();
    if (values < 3 || values > kMostIndicators) continue;  // the position says as much
    axis.indicators = static_cast<std::ptrdiff_t>(size_);
    size_ += values;
  }
  first_product_ = size_;
  size_ += axes_.size() * (axes_.size() + 1) / 2;
}

Eigen::VectorXd Features::of(const Config& config) const {
  Eigen::VectorXd features = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(size_));
  features[0] = 1;
  auto product = static_cast<Eigen::Index>(first_product_);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    const std::size_t choice = config.choice[axis.parameter];
    features[static_cast<Eigen::Index>(i) + 1] = axis.positions[choice];
    if (axis.indicators >= 0) features[axis.indicators + static_cast<Eigen::Index>(choice)] = 1;
    for (std::size_t j = 0; j <= i; ++j) {
      const double other = axes_[j].positions[config.choice[axes_[j].parameter]];
      features[product++] = axis.positions[choice] * other;
    }
  }
  return features;
}

}  // namespace tuner::search
