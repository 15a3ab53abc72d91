#include "search/visit_order.h"

#include <algorithm>
#include <numeric>

namespace tuner::search {
namespace {

constexpr int kPasses = 8;

double visiting_cost(std::span<const std::size_t> order, std::span<const std::size_t> sizes,
                     std::span<const Binding> bindings) {
  const std::vector<std::size_t> depth_of = depths_of(order);
  std::vector<double> costs(order.size(), 1);
  for (const Binding& binding : bindings) {
    costs[completion_depth(binding.parameters, depth_of)] += binding.check_cost;
  }
  const std::vector<double> points = expected_points(order, sizes, bindings);
  return std::inner_product(points.begin(), points.end(), costs.begin(), 0.0);
}

void move_item(std::vector<std::size_t>& order, std::size_t from, std::size_t to) {
  const auto begin = order.begin();
  if (from < to) {
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  } else {
    std::rotate(begin + to, begin + from, begin + from + 1);
  }
}

}  // namespace

std::vector<std::size_t> depths_of(std::span<const std::size_t> order) {
  std::vector<std::size_t> depth_of(order.size());
  for (std::size_t depth = 0; depth < order.size(); ++depth) depth_of[order[depth]] = depth;
  return depth_of;
}

std::size_t completion_depth(std::span<const std::size_t> parameters,
                             std::span<const std::size_t> depth_of) {
  std::size_t last = 0;
  for (const std::size_t parameter : parameters) last = std::max(last, depth_of[parameter]);
  return last;
}

std::vector<double> expected_points(std::span<const std::size_t> order,
                                    std::span<const std::size_t> sizes,
                                    std::span<const Binding> bindings) {
  const std::vector<std::size_t> depth_of = depths_of(order);
  std::vector<double> pass_rates(order.size(), 1);
  for (const Binding& binding : bindings) {
    pass_rates[completion_depth(binding.parameters, depth_of)] *= binding.pass_rate;
  }
  std::vector<double> points(order.size());
  double reached = 1;
  for (std::size_t depth = 0; depth < order.size(); ++depth) {
    points[depth] = reached * static_cast<double>(sizes[order[depth]]);
    reached = points[depth] * pass_rates[depth];
  }
  return points;
}

std::vector<std::size_t> choose_order(std::span<const std::size_t> sizes,
                                      std::span<const Binding> bindings) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double best = visiting_cost(order, sizes, bindings);
  bool improved = true;
  for (int pass = 0; pass < kPasses && improved; ++pass) {
    improved = false;
    for (std::size_t from = 0; from < order.size(); ++from) {
      for (std::size_t to = 0; to < order.size(); ++to) {
        if (from == to) continue;
        move_item(order, from, to);
        const double cost = visiting_cost(order, sizes, bindings);
        if (cost < best) {
          best = cost;
          improved = true;
        } else {
          move_item(order, to, from);
        }
      }
    }
  }
  return order;
}

}  // namespace tuner::search
