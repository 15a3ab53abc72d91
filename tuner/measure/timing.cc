#include "tuner/measure/timing.h"

#include <algorithm>
#include <cmath>

#include "tuner/measure/trial_failure.h"

namespace tuner {
namespace {

constexpr double kBatchedBelowNs = 100e3;
constexpr double kSampleNs = 200e3;
constexpr int kMaxLaunches = 128;
// Longer runs hide neither a launch nor the cost of an untimed one before them.
constexpr double kLongRunNs = 5e6;
constexpr double kShortRunNs = 20e3;
// What a first run may take because of loading its code, and not for its own sake.
constexpr double kTrustedFirstRunNs = 50e6;
constexpr int kEstimateRuns = 10;

}  // namespace

CachePlan plan_cache(CacheMode mode, std::int64_t set_bytes, std::int64_t l2_bytes, bool has_inout,
                     std::int64_t free_bytes) {
  if (mode == CacheMode::warm) return {BetweenSamples::nothing, 1};
  if (has_inout) return {BetweenSamples::flush, 1};
  const std::int64_t touched = 2 * l2_bytes;
  if (set_bytes >= touched) return {BetweenSamples::rotate, 1};
  if (set_bytes <= 0) return {BetweenSamples::flush, 1};
  const std::int64_t sets = (touched - 1) / set_bytes + 2;
  // Half of what is free stays for workspaces.
  if (sets > ProblemBuffers::kMaxSets || sets * set_bytes > free_bytes / 2) {
    return {BetweenSamples::flush, 1};
  }
  return {BetweenSamples::rotate, static_cast<std::size_t>(sets)};
}

int launches_for(double run_ns, bool one_run_a_sample) {
  if (one_run_a_sample || run_ns >= kBatchedBelowNs) return 1;
  const double wanted = std::ceil(kSampleNs / std::max(run_ns, 1.0));
  return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMaxLaunches)));
}

TimingContext::TimingContext(const Gpu& gpu, ProblemBuffers& buffers, CacheMode mode,
                             std::chrono::milliseconds run_limit)
    : gpu_(gpu), buffers_(buffers), run_limit_(run_limit), clock_(gpu.nvml()) {
  const std::int64_t l2_bytes = gpu.profile().l2_bytes;
  CachePlan plan =
      plan_cache(mode, buffers.bytes(), l2_bytes, buffers.has_inout(), gpu.free_bytes());
  buffers.make_sets(plan.sets);
  if (buffers.sets() < plan.sets) plan.between = BetweenSamples::flush;  // there was no room
  between_ = plan.between;
  if (between_ == BetweenSamples::flush) {
    flushed_bytes_ = 2 * l2_bytes;
    flushed_ =
        allocate(gpu.driver(), static_cast<std::size_t>(flushed_bytes_), "flushing the cache");
  }
}

void TimingContext::prepare_sample(std::size_t set) {
  if (buffers_.has_inout()) buffers_.restore(set);
  if (between_ == BetweenSamples::flush) gpu_.fill(flushed_.get(), 0, flushed_bytes_);
}

std::size_t TimingContext::next_set() {
  if (between_ != BetweenSamples::rotate) return 0;
  set_ = (set_ + 1) % buffers_.sets();
  return set_;
}

const Event& TimingContext::event(std::size_t index) {
  while (events_.size() <= index) events_.push_back(make_event(gpu_.driver()));
  return events_[index];
}

Timer::Timer(TimingContext& context, const Runs& runs, double first_run_ns)
    : context_(context), runs_(runs) {
  estimate(first_run_ns);
  launches_ = launches_for(run_ns_, context_.one_run_a_sample());
}

void Timer::use_launches(int launches) {
  if (!context_.one_run_a_sample()) launches_ = launches;
}

void Timer::estimate(double first_run_ns) {
  run_ns_ = first_run_ns;
  if (first_run_ns >= kTrustedFirstRunNs) return;
  run_ns_ = timed_runs(1);
  // One run between two events is a rough measure of a short kernel.
  if (run_ns_ < kShortRunNs && !context_.one_run_a_sample()) run_ns_ = timed_runs(kEstimateRuns);
}

double Timer::timed_runs(int runs) {
  const std::size_t first_set = context_.next_set();
  context_.prepare_sample(first_set);
  context_.gpu().record(context_.event(0));
  for (int i = 0; i < runs; ++i) runs_.enqueue(i == 0 ? first_set : context_.next_set());
  context_.gpu().record(context_.event(1));
  context_.gpu().finish(limit(runs));
  const double elapsed = context_.gpu().elapsed_ns(context_.event(0), context_.event(1));
  gpu_ms_ += elapsed * 1e-6;
  return elapsed / runs;
}

// The estimate may be far off, so it only ever adds to the time that a single run may take.
std::chrono::milliseconds Timer::limit(int runs) const {
  const double expected_ms = std::min(1e9, 10 * run_ns_ * 1e-6 * runs);
  return context_.run_limit() + std::chrono::milliseconds(static_cast<std::int64_t>(expected_ms));
}

// Warms up, and keeps the GPU busy while the first sample is being queued.
void Timer::run_untimed() {
  if (context_.one_run_a_sample() || run_ns_ >= kLongRunNs) return;
  runs_.enqueue(context_.next_set());
}

Timer::Group Timer::take(int samples) {
  const Gpu& gpu = context_.gpu();
  const auto count = static_cast<std::size_t>(samples);
  gpu.record(context_.event(2 * count));
  run_untimed();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t set = context_.next_set();
    context_.prepare_sample(set);
    gpu.record(context_.event(2 * i));
    for (int launch = 0; launch < launches_; ++launch) {
      if (launch > 0) set = context_.next_set();
      runs_.enqueue(set);
    }
    gpu.record(context_.event(2 * i + 1));
  }
  context_.clock().read();
  gpu.finish(limit(samples * launches_ + 1));
  Group group;
  for (std::size_t i = 0; i < count; ++i) {
    const double elapsed = gpu.elapsed_ns(context_.event(2 * i), context_.event(2 * i + 1));
    group.samples_ns.push_back(elapsed / launches_);
  }
  group.gpu_ms = gpu.elapsed_ns(context_.event(2 * count), context_.event(2 * count - 1)) * 1e-6;
  gpu_ms_ += group.gpu_ms;
  return group;
}

}  // namespace tuner
