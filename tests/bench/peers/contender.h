// One side of a comparison: something that runs on a stream and can be timed as the tuner times.
#pragma once

#include <memory>
#include <string>

#include "tuner/measure/timing.h"

namespace tuner::bench {

class Contender : public Runs {
 public:
  // Of its own buffers, or of those that it shares with the other side.
  virtual TimingContext& timing() = 0;
  virtual std::string describe() const = 0;
};

}  // namespace tuner::bench
