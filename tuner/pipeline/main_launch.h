// Which launch stands for a kernel where one figure is wanted of it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "models/estimate.h"

namespace tuner {

// The index of the launch with the most threads. There must be one at least.
inline std::size_t main_launch(const models::KernelShape& shape) {
  const auto threads = [](const models::LaunchShape& launch) {
    return static_cast<double>(launch.blocks) * launch.threads;
  };
  const auto most = std::ranges::max_element(shape.launches, {}, threads);
  return static_cast<std::size_t>(most - shape.launches.begin());
}

}  // namespace tuner
