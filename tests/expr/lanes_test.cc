#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "expr/expression.h"
#include "tests/expr/fixture.h"
#include "tests/expr/random_text.h"

namespace tuner::expr {
namespace {

using LaneCells = std::array<Cell, kLanes>;

// The fixture's names and three that differ by lane: lane 0 … 31, row (lane / 8), odd.
class LanesTest : public testing::Test {
 protected:
  LanesTest() {
    names_.add("lane", std::int64_t{0});
    names_.add("row", std::int64_t{0});
    names_.add("odd", false);
    varying_ = {names_.slot("lane"), names_.slot("row"), names_.slot("odd")};
    lanes_.resize(varying_.size());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto number = static_cast<std::int64_t>(lane);
      lanes_[0][lane].i = number;
      lanes_[1][lane].i = number / 8;
      lanes_[2][lane].i = number % 2;
    }
  }

  LaneCells run(const Expression& expression) const {
    LaneCells result;
    expression.evaluate_lanes(names_.cells(), varying_, lanes_, result);
    return result;
  }

  Cell scalar(const Expression& expression, std::size_t lane) const {
    std::vector<Cell> cells = names_.cells();
    for (std::size_t j = 0; j < varying_.size(); ++j) {
      cells[static_cast<std::size_t>(varying_[j])] = lanes_[j][lane];
    }
    return expression.evaluate(cells);
  }

  // By scalar evaluation of each lane; nullopt where any of them fails.
  std::optional<LaneCells> expected(const Expression& expression) const {
    LaneCells result;
    try {
      for (std::size_t lane = 0; lane < kLanes; ++lane) result[lane] = scalar(expression, lane);
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
    return result;
  }

  Names names_;
  std::vector<int> varying_;
  std::vector<LaneCells> lanes_;
};

TEST_F(LanesTest, TakesEachLanesValue) {
  const LaneCells result = run(names_.compile("row * 100 + lane % 8 * 4"));
  EXPECT_EQ(result[0].i, 0);
  EXPECT_EQ(result[7].i, 28);
  EXPECT_EQ(result[8].i, 100);
  EXPECT_EQ(result[31].i, 328);
}

TEST_F(LanesTest, SpreadsWhatDoesNotVary) {
  for (const char* text : {"n", "12", "lane * 0 + n"}) {
    for (const Cell& cell : run(names_.compile(text))) EXPECT_EQ(cell.i, 12) << text;
  }
  for (const Cell& cell : run(names_.compile("x * 2"))) EXPECT_EQ(cell.d, 5.0);
}

TEST_F(LanesTest, BranchesByLane) {
  const LaneCells result = run(names_.compile("lane < 4 ? lane : lane < 8 ? -1 : 7"));
  EXPECT_EQ(result[3].i, 3);
  EXPECT_EQ(result[4].i, -1);
  EXPECT_EQ(result[7].i, -1);
  EXPECT_EQ(result[8].i, 7);
  const LaneCells widened = run(names_.compile("odd ? 1 : 0.5"));
  EXPECT_EQ(widened[0].d, 0.5);
  EXPECT_EQ(widened[1].d, 1.0);
}

TEST_F(LanesTest, ErrorsOfUnusedLanesDoNotThrow) {
  const LaneCells quotients = run(names_.compile("lane == 0 ? -1 : 64 / lane"));
  EXPECT_EQ(quotients[0].i, -1);
  EXPECT_EQ(quotients[16].i, 4);
  const LaneCells either = run(names_.compile("lane == 0 or 64 / lane > 2"));
  EXPECT_EQ(either[0].i, 1);
  EXPECT_EQ(either[21].i, 1);
  EXPECT_EQ(either[22].i, 0);
  const LaneCells both = run(names_.compile("lane != 0 and 64 / lane > 2"));
  EXPECT_EQ(both[0].i, 0);
  EXPECT_EQ(both[21].i, 1);
  EXPECT_EQ(run(names_.compile("k != 0 ? n / k : lane"))[9].i, 9);
}

TEST_F(LanesTest, ErrorsOfUsedLanesThrowWithPosition) {
  const Expression expression = names_.compile("1 + 64 / lane");
  try {
    run(expression);
    FAIL() << "lane 0 divided by zero";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), 7U);
    EXPECT_EQ(error.reason(), "division by zero");
  }
  EXPECT_THROW(run(names_.compile("lane == 31 ? big + lane : 0")), ExpressionError);
  EXPECT_THROW(run(names_.compile("odd and 1 / (lane - 5) == 0")), ExpressionError);
  EXPECT_NO_THROW(run(names_.compile("odd and 1 / (lane - 4) == 0")));
}

TEST_F(LanesTest, AgreesWithScalarEvaluation) {
  RandomText random(4);
  int compared = 0;
  int failed = 0;
  for (int i = 0; i < 4000; ++i) {
    const int depth = 1 + static_cast<int>(random.below(5));
    const std::string text = i % 2 == 0 ? random.integer(depth) : random.boolean(depth);
    const Expression expression = names_.compile(text);
    const auto wanted = expected(expression);
    if (!wanted) {
      EXPECT_THROW(run(expression), ExpressionError) << text;
      ++failed;
      continue;
    }
    const LaneCells actual = run(expression);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(actual[lane].i, (*wanted)[lane].i) << text << " in lane " << lane;
    }
    ++compared;
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(failed, 100);
}

TEST_F(LanesTest, AgreesOnReals) {
  for (const char* text : {"sqrt(lane) + x", "lane / 2.0", "min(lane, x)", "odd ? x : lane * 1.5",
                           "log2(lane + 1) - row", "-(lane * x)", "abs(x - lane)"}) {
    const Expression expression = names_.compile(text);
    const LaneCells actual = run(expression);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ(actual[lane].d, scalar(expression, lane).d) << text << " in lane " << lane;
    }
  }
}

}  // namespace
}  // namespace tuner::expr
