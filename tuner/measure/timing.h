// Timing a configuration with events.
//
// A sample is the time between two events around `launches_per_sample` runs, divided by their
// number. Nothing is subtracted. What happens between samples, outside of the events:
//   inout buffers     restored from their copy; one run a sample
//   cold, rotating    each run takes the next set of buffers; between two uses of a set at least
//   twice the L2
//                     is touched, or the set alone is that large
//   cold, flushing    where rotation would take too many sets, or inout buffers are restored (which
//   leaves them
//                     in the cache): twice the L2 is written before each sample; one run a sample
//   warm              nothing; a run that is not timed comes first
// A group of samples is queued at once, so that the GPU does not wait for the host between them.
// Short kernels (below 100 us) are batched to about 200 us a sample, so that the events' resolution
// of 0.5 us does not count, unless a sample is one run.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/measure/clock_watch.h"
#include "tuner/measure/prepared_job.h"

namespace tuner {

enum class BetweenSamples { nothing, rotate, flush };

// How samples are kept apart for buffers of `set_bytes`, on a GPU with `l2_bytes`, and how many
// sets rotation takes.
struct CachePlan {
  BetweenSamples between = BetweenSamples::nothing;
  std::size_t sets = 1;
};
CachePlan plan_cache(CacheMode mode, std::int64_t set_bytes, std::int64_t l2_bytes, bool has_inout,
                     std::int64_t free_bytes);

// Runs a sample of a kernel that takes so long.
int launches_for(double run_ns, bool one_run_a_sample);

// What all timings of a process share. For one thread.
class TimingContext {
 public:
  // Makes the sets or the flushed area that the mode takes. `run_limit` is that of a single run.
  TimingContext(const Gpu& gpu, ProblemBuffers& buffers, CacheMode mode,
                std::chrono::milliseconds run_limit);

  const Gpu& gpu() const { return gpu_; }
  ProblemBuffers& buffers() { return buffers_; }
  ClockWatch& clock() { return clock_; }
  bool one_run_a_sample() const {
    return buffers_.has_inout() || between_ == BetweenSamples::flush;
  }
  std::chrono::milliseconds run_limit() const { return run_limit_; }
  // Queues what comes before a sample or an untimed run; says which set the next run is to take.
  void prepare_sample(std::size_t set);
  std::size_t next_set();
  const Event& event(std::size_t index);

 private:
  const Gpu& gpu_;
  ProblemBuffers& buffers_;
  BetweenSamples between_ = BetweenSamples::nothing;
  std::chrono::milliseconds run_limit_;
  ClockWatch clock_;
  DeviceMemory flushed_;
  std::int64_t flushed_bytes_ = 0;
  std::size_t set_ = 0;
  std::vector<Event> events_;
};

// The timing of what has run once already. `runs` must outlive it.
class Timer {
 public:
  // first_run_ns: what the verified run took, with all that a first launch costs.
  Timer(TimingContext& context, const Runs& runs, double first_run_ns);

  struct Group {
    std::vector<double> samples_ns;
    double gpu_ms = 0;  // all of it, untimed work included
  };
  // Takes so many samples at once. Throws TrialFailure: "timeout" (fatal), "launch_error" where no
  // time passed; DriverError.
  Group take(int samples);
  int launches_per_sample() const { return launches_; }
  // Where several timers must take the same number. Of no effect where a sample is one run.
  void use_launches(int launches);
  double expected_sample_ms() const { return run_ns_ * launches_ * 1e-6; }
  double gpu_ms() const { return gpu_ms_; }

 private:
  void estimate(double first_run_ns);
  double timed_runs(int runs);
  void run_untimed();
  std::chrono::milliseconds limit(int runs) const;

  TimingContext& context_;
  const Runs& runs_;
  double run_ns_ = 0;
  int launches_ = 1;
  double gpu_ms_ = 0;
};

}  // namespace tuner
