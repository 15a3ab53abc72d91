// Whether the GPU ran at its usual clock while samples were taken.
#pragma once

#include <chrono>
#include <optional>

#include "tuner/gpu/nvml.h"

namespace tuner {

// Keeps the highest clock seen in this process. Judging is pure; reading is left out where NVML is
// missing.
class ClockWatch {
 public:
  // Null: nothing is ever throttled.
  explicit ClockWatch(const Nvml* nvml) : nvml_(nvml) {}

  // Call while the GPU works. Reads at most once in kInterval, since a reading may take a
  // millisecond; what lies between takes over the last one.
  void read();
  void observe(const GpuState& state);
  // Below kLowShare of the highest clock seen, or throttled as NVML says.
  bool throttled() const { return throttled_; }
  const GpuState& last() const { return last_; }

  // Whether samples that were taken while throttled should be dropped and taken again: a few times
  // for each configuration and a bounded number of times in all, so that a GPU that is always
  // throttled is still measured (and its results flagged).
  bool may_retry(int retries_so_far);

 private:
  static constexpr std::chrono::milliseconds kInterval{50};
  static constexpr double kLowShare = 0.75;
  static constexpr int kRetries = 3;
  static constexpr int kRetriesInAll = 20;

  const Nvml* nvml_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
  GpuState last_;
  double highest_mhz_ = 0;
  bool throttled_ = false;
  int retries_in_all_ = 0;
};

}  // namespace tuner
