#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/search/fixture.h"

namespace tuner::search {
namespace {

Space large_space() {
  std::vector<Axis> axes;
  for (const char name : std::string("abcdefghi")) {
    axes.push_back({std::string(1, name), range(0, 9)});
  }
  return make_space(axes, {"(a + i) % 10 == 0", "(b + h) % 10 == 0", "d >= e"});
}

TEST(Sample, IsDistinctAndValid) {
  const std::vector<std::pair<std::size_t, std::size_t>> asked_and_drawn = {
      {0, 0}, {1, 1}, {100, 100}, {1000, 168}};
  // x % y == 0 for 1…6 leaves 14 pairs; twelve values of z.
  const Space space =
      make_space({{"x", range(1, 6)}, {"y", range(1, 6)}, {"z", range(1, 12)}}, {"x % y == 0"});
  for (const auto& [asked, drawn] : asked_and_drawn) {
    std::mt19937_64 random(3);
    const std::vector<Config> configs = space.sample(asked, random);
    EXPECT_EQ(configs.size(), drawn);
    EXPECT_EQ(std::set<Config>(configs.begin(), configs.end()).size(), drawn);
    for (const Config& config : configs) EXPECT_TRUE(space.contains(config));
  }
}

TEST(Sample, OfALargeSpaceIsDistinctAndValid) {
  const Space space = large_space();
  std::mt19937_64 random(3);
  const std::vector<Config> configs = space.sample(2000, random);
  EXPECT_EQ(configs.size(), 2000U);
  EXPECT_EQ(std::set<Config>(configs.begin(), configs.end()).size(), 2000U);
  for (const Config& config : configs) EXPECT_TRUE(space.contains(config));
}

TEST(Sample, OfAnEmptySpaceIsEmpty) {
  const Space space = make_space({{"x", range(1, 6)}}, {"x > 6"});
  std::mt19937_64 random(3);
  EXPECT_TRUE(space.sample(5, random).empty());
}

TEST(Sample, IsTheSameForASeed) {
  const Space space = large_space();
  std::mt19937_64 one(7);
  std::mt19937_64 same(7);
  std::mt19937_64 other(8);
  const std::vector<Config> configs = space.sample(50, one);
  EXPECT_EQ(configs, space.sample(50, same));
  EXPECT_NE(configs, space.sample(50, other));
}

// d >= e: a value of d has d + 1 partners, so it stands in (d + 1) / 55 of the space. A descent
// that took every value of d alike would give each a tenth.
TEST(Sample, OfALargeSpaceIsUniform) {
  constexpr std::size_t kDrawn = 20'000;
  std::mt19937_64 random(11);
  std::map<int, double> seen;
  for (const Config& config : large_space().sample(kDrawn, random)) seen[config.choice[3]] += 1;
  for (int d = 0; d < 10; ++d) {
    const double share = (d + 1) / 55.0;
    const double deviation = std::sqrt(share * (1 - share) * kDrawn);
    EXPECT_NEAR(seen[d], share * kDrawn, 5 * deviation) << "d = " << d;
  }
}

}  // namespace
}  // namespace tuner::search
