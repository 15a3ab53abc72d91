#include "models/rank_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tuner::models {
namespace {

using Values = std::vector<double>;

// By hand, and from the examples in the documentation of scipy.stats.
TEST(Spearman, KnownValues) {
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3}, Values{10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3}, Values{3, 2, 1}), -1);
  EXPECT_NEAR(spearman(Values{1, 2, 3, 4, 5}, Values{5, 6, 7, 8, 7}), 0.8207826816681233, 1e-12);
  EXPECT_EQ(spearman(Values{1, 1, 1}, Values{1, 2, 3}), 0);
  EXPECT_EQ(spearman(Values{1}, Values{1}), 0);
}

TEST(Kendall, KnownValues) {
  EXPECT_DOUBLE_EQ(kendall(Values{1, 2, 3}, Values{10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(kendall(Values{1, 2, 3}, Values{3, 2, 1}), -1);
  EXPECT_NEAR(kendall(Values{12, 2, 1, 12, 2}, Values{1, 4, 7, 1, 0}), -0.47140452079103173, 1e-12);
  EXPECT_EQ(kendall(Values{1, 1, 1}, Values{1, 2, 3}), 0);
}

// Against the definition, pair by pair.
TEST(Kendall, IsTheCountOfPairs) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> value(0, 12);
  Values x(60), y(60);
  for (double& one : x) one = value(random);
  for (double& one : y) one = value(random);
  double difference = 0, untied_x = 0, untied_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = x[i] - x[j], dy = y[i] - y[j];
      difference += dx * dy > 0 ? 1 : dx * dy < 0 ? -1 : 0;
      untied_x += dx != 0 ? 1 : 0;
      untied_y += dy != 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(kendall(x, y), difference / std::sqrt(untied_x * untied_y), 1e-12);
}

TEST(RankQuality, TellsWhatTheFirstPicksAreWorth) {
  std::vector<RankedTrial> trials;
  for (int i = 0; i < 20; ++i) trials.push_back({100.0 + i, 200.0 - i, i >= 10});
  const RankQuality quality = rank_quality(trials);  // upside down
  EXPECT_DOUBLE_EQ(quality.spearman, -1);
  EXPECT_DOUBLE_EQ(quality.top1, 181.0 / 200);
  EXPECT_DOUBLE_EQ(quality.top8, 181.0 / 193);
  EXPECT_DOUBLE_EQ(quality.top16, 181.0 / 185);
  EXPECT_DOUBLE_EQ(quality.share_with_best, 18.0 / 20);  // 182 is within 1 % of 181
  EXPECT_DOUBLE_EQ(quality.kept_share, 0.5);
  EXPECT_DOUBLE_EQ(quality.kept_best, 1);
}

TEST(RankQuality, FailuresBringNothing) {
  const double never = std::numeric_limits<double>::infinity();
  const RankQuality quality = rank_quality(
      std::vector<RankedTrial>{{1, 0, true}, {2, 50, true}, {never, 40, false}, {3, 80, true}});
  EXPECT_EQ(quality.trials, 4U);
  EXPECT_EQ(quality.measured, 3U);
  EXPECT_EQ(quality.top1, 0);
  EXPECT_DOUBLE_EQ(quality.top8, 40.0 / 50);
  EXPECT_DOUBLE_EQ(quality.kept_best, 40.0 / 50);
  EXPECT_EQ(rank_quality({}).spearman, 0);
}

}  // namespace
}  // namespace tuner::models
