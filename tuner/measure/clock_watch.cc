#include "tuner/measure/clock_watch.h"

#include <algorithm>

namespace tuner {

void ClockWatch::read() {
  const auto now = std::chrono::steady_clock::now();
  if (nvml_ == nullptr || (read_at_ && now - *read_at_ < kInterval)) return;
  read_at_ = now;
  observe(nvml_->state());
}

void ClockWatch::observe(const GpuState& state) {
  last_ = state;
  // An idle GPU has lowered its clock by itself, which says nothing of how the kernel ran.
  const bool low = !state.idle && state.clock_mhz > 0 && state.clock_mhz < kLowShare * highest_mhz_;
  highest_mhz_ = std::max(highest_mhz_, state.clock_mhz);
  throttled_ = state.throttled || low;
}

bool ClockWatch::may_retry(int retries_so_far) {
  if (retries_so_far >= kRetries || retries_in_all_ >= kRetriesInAll) return false;
  ++retries_in_all_;
  return true;
}

}  // namespace tuner
