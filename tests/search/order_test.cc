#include <gtest/gtest.h>

#include "search/visit_order.h"

namespace tuner::search {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(VisitOrder, BindsSelectivePairsFirst) {
  // Parameters 0 and 3 share a constraint that one point in a hundred passes.
  const Sizes sizes = {10, 10, 10, 10};
  const std::vector<Binding> bindings = {{{0, 3}, 0.01, 1}};
  const Sizes order = choose_order(sizes, bindings);
  const Sizes depth_of = depths_of(order);
  EXPECT_EQ(completion_depth(bindings[0].parameters, depth_of), 1U);
}

TEST(VisitOrder, EstimatesPoints) {
  const Sizes order = {1, 0, 2};
  const Sizes sizes = {4, 2, 10};
  const std::vector<Binding> bindings = {{{0, 1}, 0.5, 1}, {{2}, 0.1, 1}};
  // 2, then 2 * 4, of which half go on to 10 each.
  EXPECT_EQ(expected_points(order, sizes, bindings), (std::vector<double>{2, 8, 40}));
}

TEST(VisitOrder, PutsSmallParametersFirst) {
  const Sizes sizes = {100, 2, 10};
  EXPECT_EQ(choose_order(sizes, {}), (Sizes{1, 2, 0}));
}

}  // namespace
}  // namespace tuner::search
