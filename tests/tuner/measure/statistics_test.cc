#include "tuner/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tuner {
namespace {

using Next = Sampler::Next;

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  std::reverse(values.begin(), values.end());
  return values;
}

TEST(Median, OfOddEvenAndNothing) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<double>{}), 0);
}

struct Ranks {
  int n, low, high;
};

// The usual table of ranks for the 95 % confidence interval of a median.
TEST(MedianInterval, HasThePublishedRanks) {
  constexpr Ranks kTable[] = {{1, 1, 1},    {5, 1, 5},    {6, 1, 6},   {8, 1, 8},   {9, 2, 8},
                              {10, 2, 9},   {12, 3, 10},  {15, 4, 12}, {20, 6, 15}, {25, 8, 18},
                              {30, 10, 21}, {40, 14, 27}, {50, 18, 33}};
  for (const Ranks& ranks : kTable) {
    const Interval interval = median_interval(one_to(ranks.n));
    EXPECT_EQ(interval.low, ranks.low) << ranks.n;
    EXPECT_EQ(interval.high, ranks.high) << ranks.n;
  }
  EXPECT_EQ(median_interval(std::vector<double>{}).high, 0);
  const Interval many = median_interval(one_to(5000));
  EXPECT_NEAR(many.low, 2500 - 69.3, 2);
  EXPECT_NEAR(many.high, 2500 + 69.3, 2);
}

SamplingRule rule() {
  SamplingRule result;
  result.min_samples = 5;
  result.max_samples = 10;
  result.relative_error = 0.01;
  result.max_ms = 100;
  result.abandon_factor = 1.5;
  return result;
}

Sampler after(double incumbent, const std::vector<double>& samples, double each_ms = 0.1) {
  Sampler sampler(rule(), incumbent);
  for (const double sample : samples) sampler.add(sample, each_ms);
  return sampler;
}

TEST(Sampler, StopsWhenTheMedianIsSure) {
  EXPECT_EQ(after(0, {}).next(), Next::more);
  EXPECT_EQ(after(0, {100, 100, 100, 100}).next(), Next::more);  // fewer than five
  EXPECT_EQ(after(0, {100, 101, 99, 100, 100}).next(), Next::done);
  EXPECT_EQ(after(0, {100, 102.1, 99.9, 100, 100}).next(), Next::more);  // half width 1.1
  EXPECT_EQ(after(0, {100, 200, 100, 200, 100, 200, 100, 200, 100, 200}).next(), Next::done);
}

TEST(Sampler, StopsWhenTheTimeIsOver) {
  EXPECT_EQ(after(0, {1, 2}, 60).next(), Next::more);
  EXPECT_EQ(after(0, {1, 2, 3}, 60).next(), Next::done);
  EXPECT_EQ(after(0, {1}, 1001).next(), Next::done);
}

TEST(Sampler, AbandonsWhatIsClearlyBehind) {
  EXPECT_EQ(after(100, {151}).next(), Next::more);
  EXPECT_EQ(after(100, {151, 151}).next(), Next::abandon);
  EXPECT_EQ(after(100, {151, 149}).next(), Next::more);  // the fastest decides
  EXPECT_EQ(after(100, {151}, 100).next(), Next::abandon);
  EXPECT_EQ(after(0, {151, 151}).next(), Next::more);
}

TEST(Sampler, AsksForGroups) {
  EXPECT_EQ(after(0, {}).group_size(0.1), 5);
  EXPECT_EQ(after(100, {}).group_size(0.1), 2);
  EXPECT_EQ(after(100, {100, 100}).group_size(0.1), 3);
  EXPECT_EQ(after(0, {1, 2, 3, 4, 5, 6, 7}).group_size(0.1), 3);  // ten at most
  EXPECT_EQ(after(0, {}).group_size(40), 2);
  EXPECT_EQ(after(0, {}).group_size(1e9), 1);
}

TEST(Summarise, TellsTheSpread) {
  MeasureResult result;
  summarise({10, 12, 11, 9, 8}, result);
  EXPECT_EQ(result.time_ns, 10);
  EXPECT_EQ(result.low_ns, 8);
  EXPECT_EQ(result.high_ns, 12);
  EXPECT_DOUBLE_EQ(result.relative_spread, 0.2);
  EXPECT_EQ(result.samples, 5);
  EXPECT_EQ(result.samples_ns, (std::vector<double>{10, 12, 11, 9, 8}));
}

}  // namespace
}  // namespace tuner
