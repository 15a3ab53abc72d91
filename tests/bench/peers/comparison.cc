#include "tests/bench/peers/comparison.h"

#include <algorithm>
#include <random>

namespace tuner::bench {
namespace {

constexpr int kWarmupRounds = 3;

}  // namespace

// The estimate of a first run is what a Timer corrects by itself.
TimedSide::TimedSide(Contender& contender)
    : contender_(contender), timer_(contender.timing(), contender, 0) {}

Ratio compare(Side& ours, Side& peer, int rounds, std::uint64_t seed, double scale) {
  Ratio ratio;
  ratio.ours = ours.describe();
  ratio.peer = peer.describe();
  ratio.scale = scale;
  ratio.launches = std::min(ours.wanted_launches(), peer.wanted_launches());
  ours.use_launches(ratio.launches);
  peer.use_launches(ratio.launches);
  std::mt19937_64 random(seed);
  std::vector<double> ratios;
  for (int round = -kWarmupRounds; round < rounds; ++round) {
    const bool ours_first = (random() & 1) != 0;
    const double first = ours_first ? ours.sample_ns() : peer.sample_ns();
    const double second = ours_first ? peer.sample_ns() : ours.sample_ns();
    if (round < 0) continue;
    ratio.ours_ns.push_back(ours_first ? first : second);
    ratio.peer_ns.push_back(ours_first ? second : first);
    ratios.push_back(scale * ratio.peer_ns.back() / ratio.ours_ns.back());
  }
  ratio.median = tuner::median(ratios);
  ratio.interval = median_interval(ratios);
  return ratio;
}

}  // namespace tuner::bench
