// What every strategy promises.
#include "search/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "tests/search/fixture.h"
#include "tests/search/replay.h"

namespace tuner::search {
namespace {

using testing::HasSubstr;

Space small_space() {
  return make_space({{"x", range(1, 8)}, {"y", range(1, 8)}, {"z", range(0, 3)}}, {"x % y == 0"});
}

double time_of(const Config& config) {
  return 1000 + 100 * std::abs(config.choice[0] - 5) + 50 * config.choice[2] + config.choice[1];
}

double predicted(const Config& config) { return 900 + 90 * std::abs(config.choice[0] - 4); }

StrategyInput input_of(const Space& space, std::uint64_t seed = 1,
                       std::size_t candidates = 10'000) {
  StrategyInput input;
  input.space = &space;
  input.seed = seed;
  for (const Config& config : space.materialize(candidates)) {
    input.candidates.push_back({config, predicted(config)});
  }
  input.predict = [](const Config& config) { return std::optional(predicted(config)); };
  return input;
}

Trial ok(const Config& config) { return {config, Status::ok, time_of(config), false, ""}; }

std::vector<Trial> ok_all(const std::vector<Config>& configs) {
  std::vector<Trial> trials;
  for (const Config& config : configs) trials.push_back(ok(config));
  return trials;
}

// Everything a strategy asks, told batch by batch.
std::vector<Config> drained(Strategy& strategy, std::size_t batch_size) {
  std::vector<Config> asked;
  while (!strategy.exhausted()) {
    const std::vector<Config> batch = strategy.ask(batch_size);
    if (batch.empty()) break;
    asked.insert(asked.end(), batch.begin(), batch.end());
    strategy.tell(ok_all(batch));
  }
  return asked;
}

class EachStrategy : public testing::TestWithParam<std::string_view> {};

TEST_P(EachStrategy, AsksAllOnceThenIsExhausted) {
  const Space space = small_space();
  for (const std::size_t batch : {1, 7, 1000}) {
    const auto strategy = make_strategy(GetParam(), input_of(space));
    EXPECT_FALSE(strategy->exhausted());
    const std::vector<Config> asked = drained(*strategy, batch);
    EXPECT_EQ(asked.size(), space.count());
    EXPECT_EQ(std::set<Config>(asked.begin(), asked.end()).size(), asked.size());
    EXPECT_TRUE(strategy->ask(3).empty());
    EXPECT_TRUE(strategy->exhausted());
  }
}

TEST_P(EachStrategy, RepeatsItselfForASeed) {
  const Space space = small_space();
  const auto run = [&](std::uint64_t seed) {
    return drained(*make_strategy(GetParam(), input_of(space, seed)), 5);
  };
  EXPECT_EQ(run(3), run(3));
  if (GetParam() != "exhaustive") {
    EXPECT_NE(run(3), run(4));
  }
}

// Compiling and measuring overlap: batches are asked before earlier ones are told.
TEST_P(EachStrategy, WorksWithBatchesOutstanding) {
  const Space space = small_space();
  const auto strategy = make_strategy(GetParam(), input_of(space));
  std::deque<std::vector<Config>> outstanding;
  std::set<Config> asked;
  std::size_t count = 0;
  for (;;) {
    std::vector<Config> batch = strategy->ask(4);
    count += batch.size();
    asked.insert(batch.begin(), batch.end());
    const bool nothing_now = batch.empty();
    if (!nothing_now) outstanding.push_back(std::move(batch));
    if (outstanding.empty()) break;
    if (outstanding.size() < 5 && !nothing_now) continue;
    strategy->tell(ok_all(outstanding.front()));
    outstanding.pop_front();
  }
  EXPECT_EQ(count, space.count());
  EXPECT_EQ(asked.size(), count);
  EXPECT_TRUE(strategy->exhausted());
}

TEST_P(EachStrategy, DoesNotAskWhatItWasTold) {
  const Space space = small_space();
  const auto strategy = make_strategy(GetParam(), input_of(space));
  std::vector<Config> earlier = space.materialize(20);
  strategy->tell(ok_all(earlier));
  const std::vector<Config> asked = drained(*strategy, 6);
  EXPECT_EQ(asked.size(), space.count() - earlier.size());
  for (const Config& config : asked) {
    EXPECT_EQ(std::count(earlier.begin(), earlier.end(), config), 0);
  }
}

TEST_P(EachStrategy, SurvivesFailuresOfEveryKind) {
  const Space space = small_space();
  const auto strategy = make_strategy(GetParam(), input_of(space));
  const std::vector<Status> kinds = {Status::crash,          Status::wrong,   Status::compile_error,
                                     Status::launch_error,   Status::timeout, Status::pruned,
                                     Status::compile_timeout};
  std::size_t asked = 0;
  while (!strategy->exhausted()) {
    const std::vector<Config> batch = strategy->ask(5);
    ASSERT_FALSE(batch.empty());
    std::vector<Trial> trials;
    for (const Config& config : batch) {
      trials.push_back({config, kinds[asked++ % kinds.size()], 0, false, "broken"});
    }
    strategy->tell(trials);
  }
  EXPECT_EQ(asked, space.count());
}

TEST_P(EachStrategy, HasNothingToAskOfAnEmptySpace) {
  const Space space = make_space({{"x", range(1, 8)}}, {"x > 8"});
  const auto strategy = make_strategy(GetParam(), input_of(space));
  EXPECT_TRUE(strategy->ask(4).empty());
  EXPECT_TRUE(strategy->exhausted());
}

TEST_P(EachStrategy, WorksWithoutPredictions) {
  const Space space = small_space();
  StrategyInput input = input_of(space);
  input.predict = nullptr;
  for (Candidate& candidate : input.candidates) candidate.predicted_ns = 0;
  EXPECT_EQ(drained(*make_strategy(GetParam(), std::move(input)), 6).size(), space.count());
}

INSTANTIATE_TEST_SUITE_P(Table, EachStrategy, testing::Values("exhaustive", "random", "model"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(Exhaustive, KeepsTheOrderOfEnumeration) {
  const Space space = small_space();
  EXPECT_EQ(drained(*make_strategy("exhaustive", input_of(space)), 9), space.materialize());
}

// Where the candidates are a sample, the rest of the space follows, but for what the prune drops.
TEST(Exhaustive, GoesBeyondASample) {
  const Space space = small_space();
  StrategyInput input = input_of(space, 1, 10);
  input.predict = [](const Config& config) {
    return config.choice[2] == 3 ? std::nullopt : std::optional(1.0);
  };
  const std::vector<Config> asked = drained(*make_strategy("exhaustive", std::move(input)), 9);
  const std::set<Config> distinct(asked.begin(), asked.end());
  std::size_t expected = 0;
  const std::vector<Config> sample = space.materialize(10);
  space.for_each([&](const Config& config) {
    const bool sampled = std::count(sample.begin(), sample.end(), config) > 0;
    if (sampled || config.choice[2] != 3) {
      ++expected;
      EXPECT_TRUE(distinct.contains(config));
    }
    return true;
  });
  EXPECT_EQ(asked.size(), expected);
}

// Neighbours lead out of a sampled list, to all that hangs together.
TEST(Model, GoesBeyondASample) {
  const Space space = make_space({{"x", range(1, 8)}, {"y", range(1, 8)}, {"z", range(0, 0)}}, {});
  const auto strategy = make_strategy("model", input_of(space, 1, 3));
  EXPECT_EQ(drained(*strategy, 4).size(), 64U);
}

TEST(Model, OpensWithTheBestPredictedAndSpreadsOut) {
  const Space space = make_space({{"x", range(0, 9)}, {"y", range(0, 9)}, {"z", range(0, 9)}}, {});
  StrategyInput input = input_of(space);
  const auto strategy = make_strategy("model", std::move(input));
  const std::vector<Config> opening = strategy->ask(8);
  ASSERT_EQ(opening.size(), 8U);
  std::set<std::uint16_t> ys;
  std::set<std::uint16_t> zs;
  for (const Config& config : opening) {
    EXPECT_EQ(config.choice[0], 4);  // where the prediction is least
    ys.insert(config.choice[1]);
    zs.insert(config.choice[2]);
  }
  EXPECT_GE(ys.size(), 6U);
  EXPECT_GE(zs.size(), 6U);
}

TEST(Strategies, AreInTheTable) {
  std::vector<std::string_view> names;
  for (const StrategyEntry& entry : strategies()) {
    names.push_back(entry.name);
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("exhaustive", "random", "model"));
}

TEST(Strategies, SuggestTheNearestName) {
  const Space space = small_space();
  const std::vector<std::pair<std::string, std::string>> typos = {
      {"modle", "did you mean 'model'"},
      {"exhaustiv", "did you mean 'exhaustive'"},
      {"randm", "did you mean 'random'"},
      {"qqqqqqqqqqqqqq", "exhaustive"},
  };
  for (const auto& [typo, hint] : typos) {
    try {
      make_strategy(typo, input_of(space));
      FAIL() << typo;
    } catch (const TunerError& error) {
      EXPECT_THAT(error.what(), HasSubstr(typo));
      EXPECT_THAT(error.what(), HasSubstr(hint));
    }
  }
}

}  // namespace
}  // namespace tuner::search
