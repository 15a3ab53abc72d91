#include "search/surrogate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/fixture.h"

namespace tuner::search {
namespace {

Space small_space() {
  return make_space({{"x", range(0, 4)}, {"y", integers({1, 2, 4, 8, 16})}, {"z", {false, true}}},
                    {});
}

TEST(Surrogate, IsThePriorBeforeItLearns) {
  const Space space = small_space();
  const Features features(space);
  const Surrogate surrogate(features);
  EXPECT_EQ(surrogate.estimate(Config{{1, 2, 0}}, 3.5), 3.5);
}

// Main effects, one of no particular order, and an interaction: all within the features' reach.
TEST(Surrogate, LearnsASmoothCorrection) {
  const Space space = small_space();
  const Features features(space);
  const auto correction = [](const Config& config) {
    const std::vector<double> of_x = {0.5, -0.2, 0.1, -0.4, 0.3};
    const double y = config.choice[1] - 2;
    return of_x[config.choice[0]] + 0.3 * y + (config.choice[2] == 1 ? 0.2 * y : 0.0);
  };
  std::vector<Observation> seen;
  for (const Config& config : space.materialize()) {
    const double prior = 0.1 * config.choice[0];
    for (int repeat = 0; repeat < 20; ++repeat) {
      seen.push_back({config, prior, prior + correction(config), 1});
    }
  }
  Surrogate surrogate(features);
  surrogate.fit(seen);
  for (const Observation& point : seen) {
    EXPECT_NEAR(surrogate.estimate(point.config, point.prior), point.target, 0.02);
  }
}

TEST(Surrogate, LearnsThatThePriorIsUpsideDown) {
  const Space space = make_space({{"x", range(0, 99)}}, {});
  const Features features(space);
  std::vector<Observation> seen;
  for (std::uint16_t i = 0; i < 100; ++i) {
    const double prior = std::sin(i * 1.7);  // no smooth function of x
    seen.push_back({Config{{i}}, prior, -prior, 1});
  }
  Surrogate surrogate(features);
  surrogate.fit(seen);
  EXPECT_LT(surrogate.estimate(Config{{50}}, 1), surrogate.estimate(Config{{50}}, -1) - 1);
}

}  // namespace
}  // namespace tuner::search
