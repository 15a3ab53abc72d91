#include "tuner/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tuner {
namespace {

using testing::ElementsAre;

struct Case {
  const char* what;
  MeasuredTime first, second;
  Change change;
};

TEST(CompareTimes, CallsAChangeWhatTheIntervalsShow) {
  const Case cases[] = {
      {"nothing in common, less", {100, 99, 101}, {90, 89, 91}, Change::faster},
      {"nothing in common, more", {100, 99, 101}, {110, 109, 111}, Change::slower},
      {"all within one percent", {100, 99.9, 100.1}, {100.5, 100.4, 100.6}, Change::same},
      {"apart, and within one percent", {100, 99.9, 100}, {100.7, 100.6, 100.8}, Change::same},
      {"wide, and overlapping", {100, 90, 110}, {95, 85, 105}, Change::unsure},
      {"no interval: the median stands for it", {100, 0, 0}, {90, 0, 0}, Change::faster},
      {"no interval, equal", {100, 0, 0}, {100, 0, 0}, Change::same},
  };
  for (const Case& one : cases) {
    const TimeComparison comparison = compare_times({{"x", one.first}}, {{"x", one.second}});
    ASSERT_EQ(comparison.both.size(), 1U);
    EXPECT_EQ(to_string(comparison.both[0].change), to_string(one.change)) << one.what;
  }
}

TEST(CompareTimes, GivesTheRatioWithItsEnds) {
  const TimeComparison comparison = compare_times({{"x", {100, 80, 125}}}, {{"x", {50, 40, 60}}});
  EXPECT_DOUBLE_EQ(comparison.both[0].ratio, 0.5);
  EXPECT_DOUBLE_EQ(comparison.both[0].low, 40.0 / 125);
  EXPECT_DOUBLE_EQ(comparison.both[0].high, 60.0 / 80);
}

TEST(CompareTimes, ListsWhatIsOnOneSideOnly) {
  const TimeComparison comparison =
      compare_times({{"a", {1, 1, 1}}, {"b", {4, 4, 4}}, {"c", {1, 1, 1}}},
                    {{"a", {4, 4, 4}}, {"b", {1, 1, 1}}, {"d", {1, 1, 1}}});
  EXPECT_THAT(comparison.only_first, ElementsAre("c"));
  EXPECT_THAT(comparison.only_second, ElementsAre("d"));
  EXPECT_DOUBLE_EQ(comparison.geometric_mean, 1);
  EXPECT_EQ(comparison.count(Change::faster), 1);
  EXPECT_EQ(comparison.count(Change::slower), 1);
}

TEST(CompareTimes, OfNothingIsNothing) {
  const TimeComparison comparison = compare_times({}, {});
  EXPECT_TRUE(comparison.both.empty());
  EXPECT_EQ(comparison.geometric_mean, 1);
}

}  // namespace
}  // namespace tuner
