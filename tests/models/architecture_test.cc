#include "models/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/models/known_devices.h"

namespace tuner::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Architecture, ReadsItsName) {
  EXPECT_EQ(parse_architecture("sm_90"), 90);
  EXPECT_EQ(parse_architecture("sm_90a"), 90);
  EXPECT_EQ(parse_architecture("compute_120f"), 120);
  for (const char* other : {"90", "sm_", "sm_9x", "sm_-1", "h200", ""}) {
    EXPECT_EQ(parse_architecture(other), 0) << other;
  }
}

TEST(Architecture, RefusesWhatItDoesNotKnow) {
  DeviceProfile device;
  EXPECT_THAT([&] { apply_architecture_limits(device, 70); },
              ThrowsMessage<TunerError>(HasSubstr("those known are 75 80")));
}

TEST(Architecture, BorrowsFromTheNearestKnownDevice) {
  const std::vector<DeviceProfile> known = known_devices();
  const DeviceProfile hopper = profile_for_architecture(90, known);
  EXPECT_EQ(hopper.compute_capability, 90);
  EXPECT_EQ(hopper.sm_count, 132);
  EXPECT_EQ(hopper.rates_source, "scaled");
  EXPECT_EQ(hopper.id, "sm_90");
  const DeviceProfile orin = profile_for_architecture(87, known);  // nearest: 8.6
  EXPECT_EQ(orin.shared_per_sm, 164 * 1024);
  EXPECT_EQ(orin.sm_count, 82);
  EXPECT_GT(orin.dram_gbps, 0);
  EXPECT_THAT([] { profile_for_architecture(90, {}); },
              ThrowsMessage<TunerError>(HasSubstr("configs/devices")));
}

TEST(KnownRates, ComeFromTheDeviceOfTheSameName) {
  DeviceProfile live;
  apply_architecture_limits(live, 90);
  live.name = "NVIDIA H200";
  live.sm_count = 132;
  live.core_clock_mhz = 1980;
  live.dram_peak_gbps = 4800;
  const DeviceProfile device = with_known_rates(live, known_devices());
  EXPECT_EQ(device.rates_source, "specification");
  EXPECT_DOUBLE_EQ(device.dram_gbps, known_device("h200").dram_gbps);
  EXPECT_DOUBLE_EQ(device.blocks_per_us, 1660);
}

TEST(KnownRates, TakeACalibratedClockForTheDrivers) {
  DeviceProfile live;
  apply_architecture_limits(live, 90);
  live.name = "NVIDIA H200";
  live.sm_count = 132;
  live.core_clock_mhz = 1980;
  live.dram_peak_gbps = 4814;
  std::vector<DeviceProfile> known = {known_device("h200")};
  known[0].rates_source = "calibrated";
  known[0].core_clock_mhz = 1755;
  const DeviceProfile device = with_known_rates(live, known);
  EXPECT_DOUBLE_EQ(device.core_clock_mhz, 1755);
  EXPECT_DOUBLE_EQ(device.dram_gbps, known[0].dram_gbps);
  EXPECT_DOUBLE_EQ(device.blocks_per_us, known[0].blocks_per_us);
}

TEST(KnownRates, AreScaledForAnUnknownDevice) {
  DeviceProfile live;
  apply_architecture_limits(live, 89);
  live.name = "NVIDIA RTX 4000 Ada Generation";
  live.sm_count = 48;
  live.core_clock_mhz = 2175;
  live.dram_peak_gbps = 360;
  const DeviceProfile like = known_device("l40s");  // of two of 8.9 the first by name
  const DeviceProfile device = with_known_rates(live, known_devices());
  EXPECT_EQ(device.rates_source, "scaled");
  EXPECT_EQ(device.sm_count, 48);
  EXPECT_DOUBLE_EQ(device.dram_gbps, like.dram_gbps * 360 / 864);
  EXPECT_DOUBLE_EQ(device.l2_gbps, like.l2_gbps * 48 / 142 * 2175 / 2520);
}

TEST(KnownRates, FollowFromTheLimitsWhereNothingIsKnown) {
  DeviceProfile live;
  apply_architecture_limits(live, 90);
  live.sm_count = 132;
  live.core_clock_mhz = 1980;
  live.dram_peak_gbps = 4800;
  const DeviceProfile device = with_known_rates(live, {});
  EXPECT_EQ(device.rates_source, "scaled");
  EXPECT_NEAR(device.dram_gbps, 4400, 0.15 * 4400);
  EXPECT_NEAR(device.blocks_per_us, 1660, 0.5 * 1660);
}

}  // namespace
}  // namespace tuner::models
