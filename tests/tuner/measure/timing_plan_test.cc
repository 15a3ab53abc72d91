#include <gtest/gtest.h>

#include "tuner/measure/timing.h"
#include "tuner/measure/trial_failure.h"

namespace tuner {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

struct Plan {
  CacheMode mode;
  std::int64_t set_mib, l2_mib;
  bool inout;
  std::int64_t free_bytes;
  BetweenSamples between;
  std::size_t sets;
};

TEST(PlanCache, RotatesOrFlushes) {
  using enum BetweenSamples;
  const Plan plans[] = {
      {CacheMode::warm, 1, 50, false, kPlenty, nothing, 1},
      {CacheMode::warm, 1, 50, true, kPlenty, nothing, 1},
      {CacheMode::cold, 200, 50, false, kPlenty, rotate,
       1},  // each run leaves nothing of its inputs
      {CacheMode::cold, 100, 50, false, kPlenty, rotate, 1},
      {CacheMode::cold, 50, 50, false, kPlenty, rotate, 3},
      {CacheMode::cold, 30, 50, false, kPlenty, rotate, 5},  // 4 others are 120 MiB
      {CacheMode::cold, 1, 50, false, kPlenty, flush, 1},    // 101 sets are too many
      {CacheMode::cold, 50, 50, false, 200 * kMiB, flush, 1},
      {CacheMode::cold, 50, 50, true, kPlenty, flush, 1},
      {CacheMode::cold, 0, 50, false, kPlenty, flush, 1},
  };
  for (const Plan& plan : plans) {
    const CachePlan made =
        plan_cache(plan.mode, plan.set_mib * kMiB, plan.l2_mib * kMiB, plan.inout, plan.free_bytes);
    EXPECT_EQ(made.between, plan.between) << plan.set_mib;
    EXPECT_EQ(made.sets, plan.sets) << plan.set_mib;
  }
}

TEST(LaunchesFor, BatchesShortKernels) {
  EXPECT_EQ(launches_for(100e3, false), 1);
  EXPECT_EQ(launches_for(99e3, false), 3);  // 297 us
  EXPECT_EQ(launches_for(10e3, false), 20);
  EXPECT_EQ(launches_for(100, false), 128);
  EXPECT_EQ(launches_for(0, false), 128);
  EXPECT_EQ(launches_for(10e3, true), 1);
}

GpuState at(double clock_mhz, bool idle = false, bool throttled = false) {
  return {.clock_mhz = clock_mhz, .idle = idle, .throttled = throttled};
}

TEST(ClockWatch, NoticesAFallingClock) {
  ClockWatch watch(nullptr);
  watch.read();
  EXPECT_FALSE(watch.throttled());
  watch.observe(at(345));  // still starting up
  EXPECT_FALSE(watch.throttled());
  watch.observe(at(1980));
  EXPECT_FALSE(watch.throttled());
  watch.observe(at(1500));
  EXPECT_FALSE(watch.throttled());
  watch.observe(at(1400));
  EXPECT_TRUE(watch.throttled());
  watch.observe(at(345, true));
  EXPECT_FALSE(watch.throttled());
  watch.observe(at(1980, false, true));
  EXPECT_TRUE(watch.throttled());
  watch.observe(at(0));
  EXPECT_FALSE(watch.throttled());
}

TEST(ClockWatch, NeverRetriesForEver) {
  ClockWatch watch(nullptr);
  EXPECT_TRUE(watch.may_retry(0));
  EXPECT_TRUE(watch.may_retry(2));
  EXPECT_FALSE(watch.may_retry(3));
  int granted = 0;
  for (int i = 0; i < 1000; ++i) granted += watch.may_retry(0) ? 1 : 0;
  EXPECT_EQ(granted, 18);
}

}  // namespace
}  // namespace tuner
