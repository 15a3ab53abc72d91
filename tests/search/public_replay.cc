// The default strategy against random search on a published, measured space: CLBlast's GEMM on an
// RTX 3090, with no model knowledge at all (every prediction is the same).
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/search/public_data.h"
#include "tests/search/replay.h"

namespace tuner::search {
namespace {

constexpr int kSeeds = 20;

double median_share_of_optimum(std::string_view strategy, const MeasuredSpace& measured) {
  Replay replay;
  replay.measure = [&](const Config& config) {
    const auto found = measured.time_ms.find(config);
    if (found == measured.time_ms.end()) return Trial{config, Status::launch_error, 0, false, ""};
    return Trial{config, Status::ok, found->second * 1e6, false, ""};
  };
  std::vector<double> shares;
  for (int seed = 0; seed < kSeeds; ++seed) {
    StrategyInput input;
    input.space = &measured.space;
    input.seed = seed;
    for (const Config& config : measured.listed) input.candidates.push_back({config, 1});
    shares.push_back(measured.best_ms * 1e6 /
                     best_after_each(strategy, std::move(input), replay).back());
  }
  return median(shares);
}

TEST(PublicReplay, ModelIsNoWorseThanRandomWithoutAModel) {
  const char* folder = std::getenv("TUNER_PUBLIC_DATA");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "TUNER_PUBLIC_DATA is not set";
  const MeasuredSpace measured =
      read_cachefile(std::string(folder) + "/gemm_RTX3090_cache.json.gz");
  EXPECT_EQ(measured.listed.size(), 17'956U);
  const double random = median_share_of_optimum("random", measured);
  const double model = median_share_of_optimum("model", measured);
  EXPECT_GE(model, random);
  EXPECT_GE(model, 0.95);
}

}  // namespace
}  // namespace tuner::search
