// Configurations as numbers that a linear surrogate can learn from.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "search/space.h"

namespace tuner::search {

// One feature a value of each parameter that has few values; one for where a value stands between
// its parameter's least and greatest, on a log scale where the values span more than a factor of
// four; and the products of these pairwise. Parameters of one value have none.
class Features {
 public:
  explicit Features(const Space& space);

  std::size_t size() const { return size_; }
  // Of the features, in order: 1, then `positions` of the active parameters, the value indicators,
  // the products i <= j.
  Eigen::VectorXd of(const Config& config) const;

  struct Axis {
    std::size_t parameter = 0;
    std::vector<double> positions;   // of each value, -1 to 1
    std::ptrdiff_t indicators = -1;  // first feature of them; -1 for none
  };
  const std::vector<Axis>& axes() const { return axes_; }
  std::size_t first_product() const { return first_product_; }

 private:
  std::vector<Axis> axes_;
  std::size_t first_product_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tuner::search
