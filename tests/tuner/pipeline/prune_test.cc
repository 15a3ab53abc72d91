#include "tuner/pipeline/prune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tuner {
namespace {

TEST(Likely, IsTheFirstThreePercentOfTheModelsOrder) {
  std::vector<double> times(1000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(1000 - i);
  const std::vector<bool> found = likely(times);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(found[i], times[i] <= 30) << i;
}

TEST(Likely, IsEightAtLeastAndAllOfFewer) {
  EXPECT_EQ(std::ranges::count(likely(std::vector<double>(100, 1.0)), true), 8);
  EXPECT_EQ(std::ranges::count(likely(std::vector<double>(5, 1.0)), true), 5);
  EXPECT_TRUE(likely({}).empty());
}

TEST(Likely, OfEqualsTakesTheFirst) {
  const std::vector<bool> found = likely(std::vector<double>(20, 1.0));
  EXPECT_TRUE(std::all_of(found.begin(), found.begin() + 8, [](bool one) { return one; }));
}

TEST(KeepLikely, TalliesWhatItDrops) {
  Pruned pruned;
  for (int i = 0; i < 20; ++i) pruned.candidates.push_back({{}, static_cast<double>(20 - i)});
  keep_likely(pruned);
  ASSERT_EQ(pruned.candidates.size(), 8U);
  EXPECT_EQ(pruned.candidates.front().predicted_ns, 8);  // in the order in which they were
  EXPECT_EQ(pruned.dropped.at("unlikely by the model"), 12U);
  keep_likely(pruned);
  EXPECT_EQ(pruned.dropped.at("unlikely by the model"), 12U);
}

}  // namespace
}  // namespace tuner
