#include "models/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "models/calibration_fits.h"
#include "models/estimate.h"

namespace tuner::models {
namespace {

// What a figure may be, and how far its fit may be off. Ranges hold every GPU from Turing on with
// room to spare: what lies beyond is a measurement gone wrong.
struct Rule {
  const char* name;
  const char* unit;
  double DeviceProfile::*rate;  // null: the profile has no such rate
  double low, high;
  double most_residual;
};

constexpr Rule kClock{"core_clock_mhz", "MHz", &DeviceProfile::core_clock_mhz, 200, 4000, 0.01};
constexpr Rule kLaunch{"launch_us", "us", &DeviceProfile::launch_us, 0.5, 50, 0.1};
constexpr Rule kDispatch{"blocks_per_us", "blocks/us", &DeviceProfile::blocks_per_us, 10,
                         20000,           0.05};
constexpr Rule kFmaPerClock{"fma_per_clock", "a SM", nullptr, 16, 256, 0.03};
constexpr Rule kFmaLatency{
    "fma_latency_cycles", "cycles", &DeviceProfile::fma_latency_cycles, 2, 12, 0.03};
constexpr Rule kSlowdown{"fma_port_slowdown", "", &DeviceProfile::fma_port_slowdown, 1, 4, 0.05};
constexpr Rule kFreeChains{
    "fma_port_free_chains", "chains", &DeviceProfile::fma_port_free_chains, 1, 16, 0.05};
constexpr Rule kFp64{
    "fp64_lanes_per_sm", "lanes", &DeviceProfile::fp64_lanes_per_sm, 0.25, 128, 0.03};
constexpr Rule kIssue{"issue_per_clock", "a SM", &DeviceProfile::issue_per_clock, 0.5, 8, 0.03};
constexpr Rule kSharedBytes{
    "shared_bytes_per_clock", "B a SM", &DeviceProfile::shared_bytes_per_clock, 16, 512, 0.03};
constexpr Rule kSharedLatency{
    "shared_latency_cycles", "cycles", &DeviceProfile::shared_latency_cycles, 10, 100, 0.03};
constexpr Rule kLines{
    "l1_lines_per_clock", "a SM", &DeviceProfile::l1_lines_per_clock, 0.25, 16, 0.1};
constexpr Rule kBarrier{"barrier_cycles", "cycles", &DeviceProfile::barrier_cycles, 0, 300, 0.25};
constexpr Rule kL2{"l2_gbps", "GB/s", &DeviceProfile::l2_gbps, 100, 50000, 0.05};
constexpr Rule kL2Latency{"l2_latency_ns", "ns", &DeviceProfile::l2_latency_ns, 30, 1000, 0.03};
constexpr Rule kDramChase{"dram_chase_ns", "ns", nullptr, 100, 5000, 0.05};
// A few percent above a peak that is sold rounded; at least a third of it.
constexpr double kLeastOfPeak = 0.33, kMostOfPeak = 1.06;
constexpr Rule kRead{"dram_read_gbps", "GB/s", &DeviceProfile::dram_read_gbps, 1, 1e6, 0.12};
constexpr Rule kCopy{"dram_gbps", "GB/s", &DeviceProfile::dram_gbps, 1, 1e6, 0.12};
constexpr Rule kLatency{"dram_latency_ns", "ns", &DeviceProfile::dram_latency_ns, 100, 3000, 0.12};
constexpr Rule kNorm{"latency_norm", "", &DeviceProfile::latency_norm, 1, 10, 0.12};
constexpr Rule kGranule{"dram_granule", "B", nullptr, 32, 128, 0.2};
constexpr Rule kDrain{"block_drain", "", &DeviceProfile::block_drain, 0, 0.5, 0.2};

// Four significant digits: more is noise.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / unit) * unit;
}

// Collects the figures, and puts those that stand into the profile as they come.
class Collector {
 public:
  explicit Collector(const DeviceProfile& before) { result_.profile = before; }

  const DeviceProfile& profile() const { return result_.profile; }
  double ghz() const { return profile().core_clock_mhz * 1e-3; }

  void add(const Rule& rule, const Fitted& fitted) {
    Figure figure = judged(rule, fitted);
    figure.rate = rule.rate != nullptr;
    if (rule.rate != nullptr) {
      figure.previous = result_.profile.*rule.rate;
      if (figure.used()) result_.profile.*rule.rate = figure.value;
    }
    result_.figures.push_back(std::move(figure));
  }

  void add_bandwidth(Rule rule, const Fitted& fitted) {
    if (const double peak = profile().dram_peak_gbps; peak > 0) {
      rule.low = kLeastOfPeak * peak;
      rule.high = kMostOfPeak * peak;
    }
    add(rule, fitted);
  }

  void add_granule(const Fitted& fitted) {
    Figure figure = judged(kGranule, fitted);
    figure.previous = result_.profile.dram_granule;
    if (figure.used()) result_.profile.dram_granule = static_cast<int>(figure.value);
    result_.figures.push_back(std::move(figure));
  }

  Calibration finish() && {
    result_.profile.rates_source = "calibrated";
    result_.profile.sources = sources();
    return std::move(result_);
  }

 private:
  static Figure judged(const Rule& rule, const Fitted& fitted) {
    Figure figure;
    figure.name = rule.name;
    figure.unit = rule.unit;
    figure.value = rounded(fitted.value);
    figure.residual = fitted.residual;
    figure.points = fitted.points;
    figure.note = fitted.note;
    figure.refusal = fitted.problem;
    if (!figure.refusal.empty()) return figure;
    if (!(figure.value >= rule.low && figure.value <= rule.high)) {
      figure.refusal =
          fmt::format("{:.4g} is not within {:.4g} to {:.4g}", figure.value, rule.low, rule.high);
    } else if (!(figure.residual <= rule.most_residual)) {
      figure.refusal = fmt::format("the fit is off by {:.1f} %, and {:.0f} % is the most",
                                   100 * figure.residual, 100 * rule.most_residual);
    }
    return figure;
  }

  std::string sources() const {
    std::string measured, kept;
    for (const Figure& figure : result_.figures) {
      if (!figure.rate) continue;
      std::string& list = figure.refusal.empty() ? measured : kept;
      list += (list.empty() ? "" : ", ") + figure.name;
      if (!figure.refusal.empty()) list += " (" + figure.refusal + ")";
    }
    std::string text = "Measured by tuner calibrate: " + (measured.empty() ? "nothing" : measured) +
                       ". As the device or its profile had it: dram_peak_gbps, fp32_lanes_per_sm";
    if (!kept.empty()) text += ", and what could not be told: " + kept;
    return text + ".";
  }

  Calibration result_;
};

void add_sm(Collector& collector, const Points& points) {
  const double ghz = collector.ghz();
  Fitted fmas = fit_fma_per_clock(points, ghz);
  fmas.note = fmt::format("of {} lanes", collector.profile().fp32_lanes_per_sm);
  collector.add(kFmaPerClock, fmas);
  collector.add(kFmaLatency, fit_fma_latency(points, ghz));
  const PortFit ports = fit_ports(points);
  collector.add(kSlowdown, ports.slowdown);
  collector.add(kFreeChains, ports.free_chains);
  collector.add(kFp64, fit_fp64_per_clock(points, ghz));
  collector.add(kIssue, fit_issue_per_clock(points, ghz));
  collector.add(kSharedBytes, fit_shared_bytes_per_clock(points, ghz));
  collector.add(kSharedLatency, fit_shared_latency(points, ghz));
  collector.add(kLines, fit_lines_per_clock(points, ghz));
  collector.add(kBarrier, fit_barrier(points, ghz));
}

void add_memory(Collector& collector, const Points& points) {
  collector.add(kL2, fit_l2_gbps(points));
  collector.add(kL2Latency, fit_l2_latency_ns(points));
  collector.add(kDramChase, fit_dram_chase_ns(points));
  const DeviceProfile& device = collector.profile();
  const StreamFit streams = fit_streams(points, device.sm_count, device.launch_us);
  collector.add_bandwidth(kRead, streams.read_gbps);
  collector.add_bandwidth(kCopy, streams.copy_gbps);
  collector.add(kLatency, streams.latency_ns);
  collector.add(kNorm, streams.norm);
  collector.add_granule(fit_dram_granule(points));
  collector.add(kDrain, fit_block_drain(points, device));
}

}  // namespace

const char* to_string(Probe probe) {
  static constexpr std::array kNames = {"launch",      "dispatch",      "clock",      "fma_three",
                                        "fma_two",     "fma_immediate", "fma_double", "issue",
                                        "shared_read", "shared_chase",  "l2_read",    "l2_chase",
                                        "dram_chase",  "read",          "copy",       "strided",
                                        "tags",        "barrier",       "scale"};
  return kNames[static_cast<std::size_t>(probe)];
}

Calibration calibrate(const DeviceProfile& before, std::span<const ProbePoint> all) {
  const Points points(all);
  Collector collector(before);
  collector.add(kClock, fit_clock_mhz(points));
  collector.add(kLaunch, fit_launch_us(points));
  collector.add(kDispatch, fit_blocks_per_us(points));
  add_sm(collector, points);
  add_memory(collector, points);
  return std::move(collector).finish();
}

KernelShape scale_shape(const DeviceProfile& device, int threads, double elements) {
  constexpr double kWidth = 4, kInstructions = 10;
  MemoryAccess access;
  access.requests_per_warp = 1;
  access.sectors_per_request = 4;
  access.lines_per_request = 1;
  access.granules_per_request = 128.0 / device.dram_granule;
  access.buffer_bytes = kWidth * elements;
  LaunchShape launch;
  launch.threads = threads;
  launch.blocks = static_cast<std::int64_t>(elements / threads);
  launch.registers = 16;
  launch.static_shared = 0;
  launch.instructions_per_thread = kInstructions;
  launch.accesses = {access, access};
  launch.accesses[0].name = "in";
  launch.accesses[1].name = "out";
  launch.accesses[1].store = true;
  return {.launches = {launch}, .useful_bytes = 2 * kWidth * elements};
}

}  // namespace tuner::models
