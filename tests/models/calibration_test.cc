// Fits against times that known rates would give, and against H200's measured ones.
#include "models/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "models/calibration_fits.h"
#include "tests/models/known_devices.h"
#include "tests/models/synthetic_gpu.h"

namespace tuner::models {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Figure& figure(const Calibration& calibration, const std::string& name) {
  const auto found = std::ranges::find(calibration.figures, name, &Figure::name);
  if (found == calibration.figures.end()) throw std::out_of_range(name);
  return *found;
}

// A H200 whose rates are none of the shipped profile's.
DeviceProfile unusual_device() {
  DeviceProfile device = known_device("h200");
  device.core_clock_mhz = 1770;
  device.launch_us = 2.5;
  device.blocks_per_us = 1210;
  device.fma_latency_cycles = 4.2;
  device.fma_port_slowdown = 1.9;
  device.fma_port_free_chains = 3.7;
  device.fp64_lanes_per_sm = 62;
  device.issue_per_clock = 3.8;
  device.shared_bytes_per_clock = 121;
  device.shared_latency_cycles = 31;
  device.l1_lines_per_clock = 3.1;
  device.barrier_cycles = 24;
  device.l2_gbps = 6100;
  device.l2_latency_ns = 151;
  device.dram_read_gbps = 4500;
  device.dram_gbps = 4250;
  device.dram_latency_ns = 530;
  device.latency_norm = 2.1;
  device.block_drain = 0.09;
  return device;
}

// Threads and variants of each probe, with three amounts each.
std::vector<ProbePoint> all_points() {
  std::vector<ProbePoint> points;
  const auto add = [&](Probe probe, int threads, double variant, double amount) {
    for (const double times : {1, 2, 4}) {
      points.push_back({probe, threads, 1, variant, amount * times, 0});
    }
  };
  add(Probe::launch, 32, 0, 1);
  add(Probe::clock, 32, 0, 250e3);
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    add(Probe::dispatch, threads, 0, 131072);
    if (threads > 32) {
      add(Probe::barrier, threads, 0, 2048);
      points.push_back({Probe::scale, threads, 0, 0, 67108864, 0});
    }
  }
  for (const int chains : {1, 2, 4, 8}) add(Probe::fma_three, 1024, chains, 16384);
  add(Probe::fma_two, 1024, 8, 16384);
  add(Probe::fma_immediate, 1024, 8, 16384);
  add(Probe::fma_immediate, 128, 1, 16384);
  add(Probe::fma_double, 1024, 8, 8192);
  add(Probe::issue, 1024, 4, 16384);
  add(Probe::shared_read, 1024, 0, 4096);
  add(Probe::shared_chase, 32, 0, 4096);
  for (const int lines : {8, 16, 32}) add(Probe::tags, 1024, lines, 1024);
  add(Probe::l2_read, 256, 0, 268435456);
  add(Probe::l2_chase, 1, 0, 2048);
  add(Probe::dram_chase, 1, 0, 16384);
  for (const double in_flight : {1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 128e3}) {
    points.push_back({Probe::read, 512, 1, in_flight, 1e9, 0});
    points.push_back({Probe::copy, 512, 1, in_flight, 1e9, 0});
  }
  for (const double stride : {32, 64, 128}) {
    points.push_back({Probe::strided, 256, 0, stride, 16777216, 0});
  }
  return points;
}

std::vector<ProbePoint> timed_points(SyntheticGpu gpu) {
  std::vector<ProbePoint> points = all_points();
  for (ProbePoint& point : points) point = gpu.timed(point);
  return points;
}

void remove(std::vector<ProbePoint>& points, Probe probe) {
  std::erase_if(points, [&](const ProbePoint& point) { return point.probe == probe; });
}

class RecoversRates : public testing::TestWithParam<double> {};

TEST_P(RecoversRates, OfADeviceThatIsNotTheProfile) {
  const double noise = GetParam();
  const DeviceProfile truth = unusual_device();
  const Calibration found =
      calibrate(known_device("h200"), timed_points(SyntheticGpu(truth, noise)));
  const auto near = [&](const char* name, double DeviceProfile::*rate, double tolerance) {
    EXPECT_THAT(figure(found, name).refusal, IsEmpty()) << name;
    EXPECT_NEAR(found.profile.*rate / (truth.*rate), 1, tolerance + 4 * noise) << name;
  };
  near("core_clock_mhz", &DeviceProfile::core_clock_mhz, 0.001);
  near("launch_us", &DeviceProfile::launch_us, 0.001);
  near("blocks_per_us", &DeviceProfile::blocks_per_us, 0.001);
  near("fma_latency_cycles", &DeviceProfile::fma_latency_cycles, 0.001);
  near("fma_port_slowdown", &DeviceProfile::fma_port_slowdown, 0.001);
  near("fma_port_free_chains", &DeviceProfile::fma_port_free_chains, 0.005);
  near("fp64_lanes_per_sm", &DeviceProfile::fp64_lanes_per_sm, 0.001);
  near("issue_per_clock", &DeviceProfile::issue_per_clock, 0.001);
  near("shared_bytes_per_clock", &DeviceProfile::shared_bytes_per_clock, 0.001);
  near("shared_latency_cycles", &DeviceProfile::shared_latency_cycles, 0.001);
  near("l1_lines_per_clock", &DeviceProfile::l1_lines_per_clock, 0.001);
  near("barrier_cycles", &DeviceProfile::barrier_cycles, 0.001);
  near("l2_gbps", &DeviceProfile::l2_gbps, 0.001);
  near("l2_latency_ns", &DeviceProfile::l2_latency_ns, 0.001);
  near("dram_read_gbps", &DeviceProfile::dram_read_gbps, 0.001);
  near("dram_gbps", &DeviceProfile::dram_gbps, 0.001);
  near("dram_latency_ns", &DeviceProfile::dram_latency_ns, 0.001);
  near("latency_norm", &DeviceProfile::latency_norm, 0.005 + 4 * noise);
  near("block_drain", &DeviceProfile::block_drain, 0.02 + 20 * noise);
  EXPECT_EQ(found.profile.dram_granule, 64);
  EXPECT_EQ(found.profile.rates_source, "calibrated");
  EXPECT_NEAR(figure(found, "fma_per_clock").value, 128, 128 * (0.001 + 4 * noise));
  EXPECT_FALSE(figure(found, "dram_chase_ns").rate);
}

INSTANTIATE_TEST_SUITE_P(Noise, RecoversRates, testing::Values(0, 0.004));

TEST(Calibrate, TellsTheGranule) {
  for (const int granule : {32, 64, 128}) {
    DeviceProfile device = unusual_device();
    device.dram_granule = granule;
    EXPECT_EQ(fit_dram_granule(Points(timed_points(SyntheticGpu(device, 0.01)))).value, granule);
  }
}

// Reads of one float, 8 in flight a thread: 574, 287 and 242 GB/s useful at strides 8, 16 and 32 on
// a H200, far strides paying for pages as well.
TEST(Calibrate, SeesH200sGranuleThroughItsPages) {
  constexpr double kReads = 1 << 24;
  const std::vector<ProbePoint> measured = {
      {Probe::strided, 256, 0, 32, kReads, kReads * 4 / 574},
      {Probe::strided, 256, 0, 64, kReads, kReads * 4 / 287},
      {Probe::strided, 256, 0, 128, kReads, kReads * 4 / 242}};
  const Fitted fitted = fit_dram_granule(Points(measured));
  EXPECT_THAT(fitted.problem, IsEmpty());
  EXPECT_EQ(fitted.value, 64);
}

// TFLOP/s of 1, 2, 4 and 8 chains of three-register FMAs on a H200 with full SMs.
TEST(Calibrate, FindsH200sRegisterPorts) {
  std::vector<ProbePoint> measured;
  for (const auto& [chains, tflops] : {std::pair{1, 32.8}, {2, 44.0}, {4, 65.0}, {8, 65.1}}) {
    for (const double fmas : {16384.0, 32768.0, 65536.0}) {
      const double time_ns = 2 * fmas * 1024 * 132 / (tflops * 1e3);
      measured.push_back({Probe::fma_three, 1024, 1, 1.0 * chains, fmas, 3500 + time_ns});
    }
  }
  const PortFit fit = fit_ports(Points(measured));
  ASSERT_THAT(fit.slowdown.problem, IsEmpty());
  EXPECT_NEAR(fit.slowdown.value, 1.985, 0.01);
  EXPECT_NEAR(fit.free_chains.value, 3.9, 0.1);
}

TEST(Calibrate, LeavesFreeChainsAloneWherePortsHoldNothingBack) {
  DeviceProfile device = unusual_device();
  device.fma_port_slowdown = 1;
  const Calibration found = calibrate(known_device("h200"), timed_points(SyntheticGpu(device, 0)));
  EXPECT_DOUBLE_EQ(found.profile.fma_port_slowdown, 1);
  EXPECT_THAT(figure(found, "fma_port_free_chains").refusal, HasSubstr("hold nothing back"));
  EXPECT_DOUBLE_EQ(found.profile.fma_port_free_chains, known_device("h200").fma_port_free_chains);
}

TEST(Calibrate, LeavesOutAnOutlierAndSaysSo) {
  std::vector<ProbePoint> points = timed_points(SyntheticGpu(unusual_device(), 0.002));
  const auto read = std::ranges::find(points, Probe::read, &ProbePoint::probe);
  read->time_ns *= 2;
  const Calibration found = calibrate(known_device("h200"), points);
  EXPECT_NEAR(found.profile.dram_read_gbps, 4500, 100);
  EXPECT_THAT(figure(found, "dram_read_gbps").note, HasSubstr("1 of 16 points left out"));
}

TEST(Calibrate, KeepsTheOldValueOfWhatWasNotMeasured) {
  std::vector<ProbePoint> points = timed_points(SyntheticGpu(unusual_device(), 0));
  remove(points, Probe::l2_read);
  const DeviceProfile before = known_device("h200");
  const Calibration found = calibrate(before, points);
  EXPECT_EQ(figure(found, "l2_gbps").refusal, "not measured");
  EXPECT_DOUBLE_EQ(found.profile.l2_gbps, before.l2_gbps);
  EXPECT_THAT(found.profile.sources,
              AllOf(HasSubstr("could not be told: l2_gbps (not measured)"),
                    HasSubstr("Measured by tuner calibrate: core_clock_mhz")));
}

TEST(Calibrate, RefusesWhatNoGpuHas) {
  std::vector<ProbePoint> points = timed_points(SyntheticGpu(unusual_device(), 0));
  for (ProbePoint& point : points) {
    if (point.probe == Probe::read) point.time_ns /= 3;
    if (point.probe == Probe::shared_chase) point.time_ns *= 40;
  }
  const DeviceProfile before = known_device("h200");
  const Calibration found = calibrate(before, points);
  EXPECT_THAT(figure(found, "dram_read_gbps").refusal, Not(IsEmpty()));
  EXPECT_THAT(figure(found, "shared_latency_cycles").refusal, HasSubstr("is not within 10 to 100"));
  EXPECT_DOUBLE_EQ(found.profile.dram_read_gbps, before.dram_read_gbps);
  EXPECT_DOUBLE_EQ(found.profile.shared_latency_cycles, before.shared_latency_cycles);
}

TEST(Calibrate, RefusesAFitThatIsFarOff) {
  std::vector<ProbePoint> points = timed_points(SyntheticGpu(unusual_device(), 0));
  double factor = 1;
  for (ProbePoint& point : points) {
    if (point.probe == Probe::l2_chase) point.time_ns *= factor;
    if (point.probe == Probe::l2_chase) factor = factor == 1 ? 1.6 : 1;
  }
  EXPECT_THAT(figure(calibrate(known_device("h200"), points), "l2_latency_ns").refusal,
              Not(IsEmpty()));
}

// More work in no more time: a kernel that the compiler emptied, say.
TEST(Calibrate, RefusesWorkThatTakesNoTime) {
  std::vector<ProbePoint> points = timed_points(SyntheticGpu(unusual_device(), 0));
  for (ProbePoint& point : points) {
    if (point.probe == Probe::issue || point.probe == Probe::l2_chase) point.time_ns = 3000;
  }
  const Calibration found = calibrate(known_device("h200"), points);
  EXPECT_THAT(figure(found, "issue_per_clock").refusal, Not(IsEmpty()));
  EXPECT_THAT(figure(found, "l2_latency_ns").refusal, Not(IsEmpty()));
}

TEST(Calibrate, OfNothingKeepsEverything) {
  const DeviceProfile before = known_device("t4");
  const Calibration found = calibrate(before, {});
  for (const Figure& each : found.figures) EXPECT_EQ(each.refusal, "not measured") << each.name;
  EXPECT_DOUBLE_EQ(found.profile.dram_gbps, before.dram_gbps);
  EXPECT_THAT(found.profile.sources, HasSubstr("Measured by tuner calibrate: nothing"));
}

}  // namespace
}  // namespace tuner::models
