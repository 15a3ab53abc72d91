#include "search/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "search/walk.h"
#include "tests/search/fixture.h"

namespace tuner::search {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct SpaceCase {
  std::string name;
  std::vector<Axis> axes;
  std::vector<std::string> constraints;
  std::size_t valid = 0;  // counted by hand, see the comments
};

std::vector<SpaceCase> space_cases() {
  const Axis x{"x", range(1, 6)};
  const Axis y{"y", range(1, 6)};
  const Axis z{"z", range(0, 3)};
  const Axis flag{"flag", {false, true}};
  const Axis type{"type", {std::string("f16"), std::string("f32")}};
  return {
      {"NoConstraint", {x, y}, {}, 36},
      {"NoParameter", {}, {}, 1},
      {"ConstantTrue", {x}, {"1 < 2"}, 6},
      {"ConstantFalse", {x}, {"2 < 1"}, 0},
      {"OneParameter", {x, y}, {"x % 2 == 0"}, 18},
      {"Divides", {x, y}, {"x % y == 0"}, 14},  // divisors of 1 to 6: 1+2+2+3+2+4
      {"Two", {x, y}, {"x < y", "x + y == 7"}, 3},
      // z over 1..3: 1 divides 6 of x, 2 three, 3 two.
      {"GuardBefore", {x, z}, {"z != 0", "x % z == 0"}, 11},
      {"GuardAfter", {x, z}, {"x % z == 0", "z != 0"}, 11},
      {"GuardOnMoreNames", {x, z}, {"x * z > 0", "6 % z == 0"}, 18},
      {"GuardInside", {x, z}, {"z != 0 and x % z == 0"}, 11},
      {"GuardInsideOr", {x, z}, {"z == 0 or x % z == 0"}, 17},
      {"BooleanAndText", {x, flag, type}, {"flag or x > 4", "type == 'f32' or not flag"}, 10},
      {"SizeOf", {x, type}, {"x * sizeof(type) <= 8"}, 6},         // f16: 1..4; f32: 1, 2
      {"Nested", {x, y, z}, {"(x < 3 and y < 3) or z == 3"}, 48},  // 36 + 4 * 3
      {"Impossible", {x, y}, {"x > 3", "x < 4"}, 0},
  };
}

class SpaceCounts : public testing::TestWithParam<SpaceCase> {};

TEST_P(SpaceCounts, ByHand) {
  const Space space = make_space(GetParam().axes, GetParam().constraints);
  EXPECT_EQ(space.count(), GetParam().valid);
  std::set<Config> distinct;
  space.for_each([&](const Config& config) {
    EXPECT_EQ(space.violation(config), std::nullopt);
    EXPECT_TRUE(space.contains(config));
    distinct.insert(config);
    return true;
  });
  EXPECT_EQ(distinct.size(), GetParam().valid);
}

INSTANTIATE_TEST_SUITE_P(Table, SpaceCounts, testing::ValuesIn(space_cases()),
                         [](const auto& chosen) { return chosen.param.name; });

// A tiled matmul's constraints, against the same rules written in C++.
TEST(Space, MatchesNestedLoops) {
  const Space space =
      make_space({{"BM", integers({16, 32, 64, 128})},
                  {"BN", integers({16, 32, 64, 128})},
                  {"BK", integers({8, 16, 32})},
                  {"TM", integers({1, 2, 4, 8})},
                  {"TN", integers({1, 2, 4, 8})},
                  {"stages", range(1, 4)}},
                 {"BM % TM == 0 and BN % TN == 0", "BM / TM * (BN / TN) <= limit",
                  "BM / TM * (BN / TN) % 32 == 0", "(BM + BN) * BK * stages * 4 <= smem",
                  "BM * BK % (BM / TM * (BN / TN)) == 0"},
                 {{"limit", 1024}, {"smem", 49152}});
  std::set<std::vector<std::int64_t>> expected;
  for (const int bm : {16, 32, 64, 128})
    for (const int bn : {16, 32, 64, 128})
      for (const int bk : {8, 16, 32})
        for (const int tm : {1, 2, 4, 8})
          for (const int tn : {1, 2, 4, 8})
            for (int stages = 1; stages <= 4; ++stages) {
              const int threads = bm / tm * (bn / tn);
              if (threads > 1024 || threads % 32 != 0) continue;
              if ((bm + bn) * bk * stages * 4 > 49152 || bm * bk % threads != 0) continue;
              expected.insert({bm, bn, bk, tm, tn, stages});
            }
  std::set<std::vector<std::int64_t>> found;
  space.for_each([&](const Config& config) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < 6; ++i) {
      values.push_back(std::get<std::int64_t>(space.value(config, i)));
    }
    found.insert(values);
    return true;
  });
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(expected.empty());
}

TEST(Space, VisitsALargeSparseSpace) {
  std::vector<Axis> axes;
  for (const char name : std::string("abcdefghi")) {
    axes.push_back({std::string(1, name), range(0, 9)});
  }
  // Each constraint leaves 10 of its pair's 100 points; c, f and g are free: 10^9 → 10^6.
  const Space space =
      make_space(axes, {"(a + i) % 10 == 0", "(b + h) % 10 == 0", "(d + e) % 10 == 0"});
  EXPECT_EQ(space.cartesian(), 1e9);
  EXPECT_EQ(space.count(), 1'000'000U);
  EXPECT_EQ(space.count(1000), 1000U);
  EXPECT_EQ(space.materialize(7).size(), 7U);
}

// Eight parameters of ten values are too many for a table: what is left is evaluated.
TEST(Space, ChecksAConstraintOverManyParameters) {
  std::vector<Axis> axes;
  for (const char name : std::string("abcdefgh")) {
    axes.push_back({std::string(1, name), range(0, 9)});
  }
  const Space space = make_space(axes, {"a + b + c + d + e + f + g + h == 2", "a <= 2", "b <= 2",
                                        "c <= 2", "d <= 2", "e <= 2", "f <= 2", "g <= 2"});
  EXPECT_EQ(space.count(), 36U);  // eight of {2, 0…} and 28 pairs of ones
}

TEST(Space, VisitsInTheSameOrderEachTime) {
  const auto build = [] {
    return make_space({{"x", range(1, 9)}, {"y", range(1, 9)}, {"z", range(1, 9)}},
                      {"x * y % z == 0", "x + z > 4"});
  };
  const Space space = build();
  EXPECT_EQ(space.materialize(), space.materialize());
  EXPECT_EQ(space.materialize(), build().materialize());
  Walk walk = space.walk();
  for (const Config& config : space.materialize()) {
    ASSERT_TRUE(walk.next());
    EXPECT_EQ(walk.config(), config);
  }
  EXPECT_FALSE(walk.next());
}

TEST(Space, NamesTheConstraintThatCannotBeEvaluated) {
  const Space space = make_space({{"x", range(1, 3)}, {"z", range(0, 2)}}, {"x % z == 0"});
  try {
    space.count();
    FAIL() << "no error";
  } catch (const expr::ExpressionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x % z == 0"));
  }
  const Config error_point{{0, 0}};
  EXPECT_THROW(space.contains(error_point), expr::ExpressionError);
  EXPECT_THROW(space.violation(error_point), expr::ExpressionError);
  EXPECT_TRUE(space.contains(Config{{1, 2}}));  // 2 % 2
}

TEST(Space, ThrowsAtOnceWhereAConstantConstraintErrs) {
  EXPECT_THROW(make_space({{"x", range(1, 3)}}, {"8 % zero == 0"}, {{"zero", 0}}),
               expr::ExpressionError);
}

TEST(Space, RefusesAParameterWithoutValues) {
  const auto scope = std::make_shared<expr::Scope>();
  const int slot = scope->add("x", Type::integer);
  EXPECT_THROW(Space(scope, {}, {{"x", slot, {}, 0}}, {}), TunerError);
}

TEST(Space, SaysWhichConstraintIsBroken) {
  const Space space = make_space({{"x", range(0, 3)}, {"y", range(0, 3)}},
                                 {"x < 3", "x + y < 5", "y == 0 or x % y == 0"});
  EXPECT_EQ(space.violation(Config{{3, 3}}), "x < 3");
  EXPECT_EQ(space.violation(Config{{2, 3}}), "x + y < 5");
  EXPECT_EQ(space.violation(Config{{1, 2}}), "y == 0 or x % y == 0");
  EXPECT_EQ(space.violation(Config{{2, 1}}), std::nullopt);
}

TEST(Space, DoesNotContainWhatIsNoPoint) {
  const Space space = make_space({{"x", range(0, 3)}}, {});
  EXPECT_FALSE(space.contains(Config{{4}}));
  EXPECT_FALSE(space.contains(Config{{0, 0}}));
  EXPECT_FALSE(space.contains(Config{}));
}

TEST(Space, FindsNeighbours) {
  const Space space = make_space({{"x", range(0, 4)}, {"y", range(0, 4)}}, {"x + y != 3"});
  using testing::UnorderedElementsAre;
  EXPECT_THAT(space.neighbors(Config{{2, 2}}, Space::Reach::adjacent),
              UnorderedElementsAre(Config{{3, 2}}, Config{{2, 3}}));  // (1,2), (2,1) sum to 3
  EXPECT_THAT(space.neighbors(Config{{0, 0}}, Space::Reach::any),
              UnorderedElementsAre(Config{{1, 0}}, Config{{2, 0}}, Config{{4, 0}}, Config{{0, 1}},
                                   Config{{0, 2}}, Config{{0, 4}}));
}

struct NearestCase {
  std::string name;
  std::vector<std::string> constraints;
  std::optional<Config> expected;
};

class Nearest : public testing::TestWithParam<NearestCase> {};

// Both default to index 2 of 0…4.
TEST_P(Nearest, KeepsMostDefaults) {
  const Space space =
      make_space({{"x", range(0, 4), 2}, {"y", range(0, 4), 2}}, GetParam().constraints);
  EXPECT_EQ(space.nearest_valid_to_default(), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Nearest,
    testing::Values(NearestCase{"Default", {"x == y"}, Config{{2, 2}}},
                    NearestCase{"OneChange", {"x + y == 6", "x <= y"}, Config{{2, 4}}},
                    NearestCase{"Adjacent", {"y == 3"}, Config{{2, 3}}},
                    NearestCase{"TwoChanges", {"x * y == 3", "x < y"}, Config{{1, 3}}},
                    NearestCase{"Far", {"x == 0", "y == 4"}, Config{{0, 4}}},
                    NearestCase{"Empty", {"x > 9"}, std::nullopt},
                    NearestCase{"Never", {"1 > 2"}, std::nullopt}),
    [](const auto& chosen) { return chosen.param.name; });

TEST(Space, IsReadable) {
  const Space space = make_space({{"BM", integers({64, 128})},
                                  {"algo", {std::string("tiled"), std::string("naive")}},
                                  {"pad", {false, true}},
                                  {"v2", integers({1, 2})},
                                  {"scale", {0.5, 1.0}}},
                                 {});
  EXPECT_EQ(space.id(Config{{1, 0, 1, 1, 0}}), "BM128.algo=tiled.pad=true.v2=2.scale0.5");
}

TEST(Space, LeavesWhatHasNoMeaningOutOfTheId) {
  const Space both =
      make_space({{"tiled", {false, true}}, {"tile", integers({8, 16})}}, {"tiled or tile == 8"});
  auto scope = std::make_shared<expr::Scope>();
  scope->add("tiled", Type::boolean);
  scope->add("tile", Type::integer);
  std::vector<Parameter> parameters = both.parameters();
  for (std::size_t i = 0; i < 2; ++i) parameters[i].slot = static_cast<int>(i);
  parameters[1].when = expr::Expression::compile("tiled", *scope);
  const Space space(scope, std::vector<expr::Cell>(2), parameters, {});
  EXPECT_EQ(space.id(Config{{0, 0}}), "tiled=false");
  EXPECT_EQ(space.id(Config{{1, 1}}), "tiled=true.tile16");
}

// From one algorithm to the other in one step, though the tile has to go with it.
TEST(Space, NeighborsSettleWhatLosesItsMeaning) {
  auto scope = std::make_shared<expr::Scope>();
  scope->add("tiled", Type::boolean);
  scope->add("tile", Type::integer);
  Parameter tiled{"tiled", 0, {false, true}, 0, {}};
  Parameter tile{"tile", 1, integers({8, 16, 32}), 0, expr::Expression::compile("tiled", *scope)};
  const Constraint held{expr::Expression::compile("tiled or tile == 8", *scope), "no meaning"};
  const Space space(scope, std::vector<expr::Cell>(2), {tiled, tile}, {held});
  EXPECT_THAT(space.neighbors(Config{{1, 2}}, Space::Reach::adjacent),
              testing::UnorderedElementsAre(Config{{0, 0}}, Config{{1, 1}}));
  EXPECT_THAT(space.neighbors(Config{{0, 0}}, Space::Reach::any),
              testing::ElementsAre(Config{{1, 0}}));
}

TEST(Space, FillsCells) {
  const Space space = make_space({{"x", range(5, 9)}}, {}, {{"n", 4096}});
  const std::vector<expr::Cell> cells = space.cells(Config{{3}});
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].i, 4096);
  EXPECT_EQ(cells[1].i, 8);
}

TEST(Space, OutlivesItsOriginal) {
  std::optional<Space> copy;
  {
    const Space space = make_space({{"x", range(1, 6)}, {"y", range(1, 6)}}, {"x % y == 0"});
    copy = space;
  }
  EXPECT_EQ(copy->count(), 14U);
}

}  // namespace
}  // namespace tuner::search
