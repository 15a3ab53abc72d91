// Chooses the order in which parameters are bound while a space is visited, so that constraints cut
// as much as possible as early as possible.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tuner::search {

// What is known of one constraint before the order is chosen.
struct Binding {
  std::vector<std::size_t> parameters;  // that it reads; never empty
  double pass_rate = 1;                 // estimated share of its own points that satisfy it
  double check_cost = 1;                // of one check, relative to visiting one point
};

// The parameters, each once, first bound first: a local minimum of the estimated number of points
// visited, where constraints cut independently. The same for the same input.
// `sizes` holds the number of values of each parameter.
std::vector<std::size_t> choose_order(std::span<const std::size_t> sizes,
                                      std::span<const Binding> bindings);

// The estimated number of points looked at at each depth, before what is checked there.
std::vector<double> expected_points(std::span<const std::size_t> order,
                                    std::span<const std::size_t> sizes,
                                    std::span<const Binding> bindings);

// The depth (index into `order`) at which the last of `parameters` is bound.
std::size_t completion_depth(std::span<const std::size_t> parameters,
                             std::span<const std::size_t> depth_of);
std::vector<std::size_t> depths_of(std::span<const std::size_t> order);

}  // namespace tuner::search
