// Two sides timed in turns, and the ratio of their times with its uncertainty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/peers/contender.h"
#include "tuner/measure/statistics.h"

namespace tuner::bench {

// What gives samples. Launches a sample are agreed on before the first one.
class Side {
 public:
  virtual ~Side() = default;
  virtual std::string describe() const = 0;
  virtual int wanted_launches() = 0;
  virtual void use_launches(int launches) = 0;
  virtual double sample_ns() = 0;  // of one launch
};

// A contender timed with events, as the tuner times a configuration.
class TimedSide : public Side {
 public:
  explicit TimedSide(Contender& contender);
  std::string describe() const override { return contender_.describe(); }
  int wanted_launches() override { return timer_.launches_per_sample(); }
  void use_launches(int launches) override { timer_.use_launches(launches); }
  double sample_ns() override { return timer_.take(1).samples_ns.front(); }

 private:
  Contender& contender_;
  Timer timer_;
};

struct Ratio {
  std::string ours, peer;  // described
  int launches = 1;        // a sample, the same on both sides
  std::vector<double> ours_ns, peer_ns;
  // peer / ours of the rounds, times `scale`: the median and its 95 % interval. Above 1: we are
  // faster.
  double scale = 1;
  double median = 0;
  Interval interval;
};

// `rounds` pairs of samples, the order within a pair shuffled from `seed`.
Ratio compare(Side& ours, Side& peer, int rounds, std::uint64_t seed, double scale = 1);

}  // namespace tuner::bench
