#include "tuner/measure/reference.h"

#include <gtest/gtest.h>

#include "expr/error.h"

namespace tuner {
namespace {

TEST(ChooseRuns, TakesAllOfAFew) {
  EXPECT_TRUE(choose_runs(0, 10).empty());
  const auto runs = choose_runs(10, 10);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].first, 0);
  EXPECT_EQ(runs[0].count, 10);
}

TEST(ChooseRuns, HasTheFirstAndTheLastOfMany) {
  const std::int64_t count = (std::int64_t{1} << 31) + 1;
  const auto runs = choose_runs(count, 4096);
  ASSERT_EQ(runs.size(), 256U);
  EXPECT_EQ(runs.front().first, 0);
  EXPECT_EQ(runs.back().first + runs.back().count, count);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    EXPECT_GE(runs[i].first, runs[i - 1].first + runs[i - 1].count);
  }
  EXPECT_EQ(choose_runs(100, 1).size(), 2U);
}

ElementCheck saxpy() {
  ElementCheck check;
  check.output = "y";
  check.expected = "a * xi + yi";
  check.loads = {{"xi", "x", "(i + 1) % n"}, {"yi", "y", "i"}};
  check.scalars = {{"a", 2.0}, {"n", std::int64_t{4}}};
  return check;
}

// x[i] = 10 i and y[i] = i are real, index[i] = i + 1 is whole.
CheckInputs inputs() {
  return {.holds_integers = [](const std::string& buffer) { return buffer == "index"; },
          .initial_value =
              [](const std::string& buffer, std::int64_t i) {
                const auto at = static_cast<double>(i);
                return buffer == "x" ? 10 * at : buffer == "y" ? at : at + 1;
              }};
}

TEST(ExpectedValues, EvaluatesLoadsAndScalars) {
  const std::vector<double> expected = expected_values(saxpy(), {{0, 2}, {3, 1}}, inputs());
  EXPECT_EQ(expected, (std::vector<double>{20, 41, 3}));
}

TEST(ExpectedValues, LaterLoadsMayUseEarlierOnes) {
  ElementCheck check;
  check.expected = "xi";
  check.loads = {{"at", "index", "i"}, {"xi", "x", "at * 2"}};
  EXPECT_EQ(expected_values(check, {{3, 1}}, inputs()), (std::vector<double>{80}));
}

TEST(ExpectedValues, IntegersWiden) {
  ElementCheck check;
  check.expected = "i * 3";
  EXPECT_EQ(expected_values(check, {{2, 1}}, inputs()), (std::vector<double>{6}));
}

TEST(ExpectedValues, RefusesABadExpression) {
  ElementCheck check = saxpy();
  check.expected = "a * zi";
  EXPECT_THROW(expected_values(check, {{0, 1}}, inputs()), TunerError);
  check.expected = "a / (i - i)";
  EXPECT_NO_THROW(expected_values(check, {}, inputs()));
}

}  // namespace
}  // namespace tuner
