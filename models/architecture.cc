#include "models/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "expr/error.h"

namespace tuner::models {
namespace {

struct Architecture {
  int compute_capability;
  int shared_kib_per_sm;
  int shared_kib_per_block;  // with opt-in
  int blocks_per_sm;
  int warps_per_sm;
  int fp32_lanes;
  double fp64_lanes;
};

constexpr std::array kArchitectures = {
    Architecture{75, 64, 64, 16, 32, 64, 2},      Architecture{80, 164, 163, 32, 64, 64, 32},
    Architecture{86, 100, 99, 16, 48, 128, 2},    Architecture{87, 164, 163, 16, 48, 128, 2},
    Architecture{89, 100, 99, 24, 48, 128, 2},    Architecture{90, 228, 227, 32, 64, 128, 64},
    Architecture{100, 228, 227, 32, 64, 128, 64}, Architecture{103, 228, 227, 32, 64, 128, 2},
    Architecture{120, 100, 99, 24, 48, 128, 2},   Architecture{121, 100, 99, 24, 48, 128, 2},
};

const Architecture& architecture(int compute_capability) {
  const auto* found = std::find_if(
      kArchitectures.begin(), kArchitectures.end(),
      [&](const Architecture& each) { return each.compute_capability == compute_capability; });
  if (found != kArchitectures.end()) return *found;
  std::string known;
  for (const Architecture& each : kArchitectures) {
    known += fmt::format(" {}", each.compute_capability);
  }
  throw TunerError(fmt::format("compute capability {} is not known; those known are{}",
                               compute_capability, known));
}

// Architectures of one generation (the major number) are alike before anything else.
int distance(int left, int right) {
  constexpr int kOtherGeneration = 1000;
  return std::abs(left / 10 - right / 10) * kOtherGeneration + std::abs(left - right);
}

const DeviceProfile* nearest(int compute_capability, std::span<const DeviceProfile> known) {
  const DeviceProfile* best = nullptr;
  for (const DeviceProfile& each : known) {
    const int far = distance(each.compute_capability, compute_capability);
    if (best == nullptr || far < distance(best->compute_capability, compute_capability)) {
      best = &each;
    }
  }
  return best;
}

const DeviceProfile* same_device(const DeviceProfile& live, std::span<const DeviceProfile> known) {
  for (const DeviceProfile& each : known) {
    if (each.name == live.name) return &each;
  }
  for (const DeviceProfile& each : known) {
    if (each.id == live.id && each.compute_capability == live.compute_capability) return &each;
  }
  return nullptr;
}

// Rates that follow the design of the SM, the caches or the driver, not their number or clock.
void copy_fixed_rates(DeviceProfile& to, const DeviceProfile& from) {
  to.fp32_lanes_per_sm = from.fp32_lanes_per_sm;
  to.fp64_lanes_per_sm = from.fp64_lanes_per_sm;
  to.issue_per_clock = from.issue_per_clock;
  to.fma_latency_cycles = from.fma_latency_cycles;
  to.fma_port_slowdown = from.fma_port_slowdown;
  to.fma_port_free_chains = from.fma_port_free_chains;
  to.dram_granule = from.dram_granule;
  to.dram_latency_ns = from.dram_latency_ns;
  to.latency_norm = from.latency_norm;
  to.launch_us = from.launch_us;
  to.exchange_us = from.exchange_us;
  to.atomic_ns = from.atomic_ns;
  to.block_drain = from.block_drain;
  to.barrier_cycles = from.barrier_cycles;
  to.shared_bytes_per_clock = from.shared_bytes_per_clock;
  to.shared_latency_cycles = from.shared_latency_cycles;
  to.l1_lines_per_clock = from.l1_lines_per_clock;
}

double ratio(double numerator, double denominator) {
  return numerator > 0 && denominator > 0 ? numerator / denominator : 1;
}

// What `to` itself knows (clock, SMs, peak of the memory) says by how much it differs from `from`.
void scale_rates(DeviceProfile& to, const DeviceProfile& from) {
  const double clock = ratio(to.core_clock_mhz, from.core_clock_mhz);
  const double sms = ratio(to.sm_count, from.sm_count);
  const double bandwidth = ratio(to.dram_peak_gbps, from.dram_peak_gbps);
  if (to.core_clock_mhz <= 0) to.core_clock_mhz = from.core_clock_mhz;
  if (to.dram_peak_gbps <= 0) to.dram_peak_gbps = from.dram_peak_gbps;
  to.dram_gbps = from.dram_gbps * bandwidth;
  to.dram_read_gbps = from.dram_read_gbps * bandwidth;
  to.l2_gbps = from.l2_gbps * sms * clock;
  to.l2_latency_ns = from.l2_latency_ns / clock;
  to.blocks_per_us = from.blocks_per_us * clock;
}

}  // namespace

void apply_architecture_limits(DeviceProfile& profile, int compute_capability) {
  const Architecture& is = architecture(compute_capability);
  constexpr std::int64_t kKib = 1024;
  profile.compute_capability = compute_capability;
  profile.max_threads_per_sm = is.warps_per_sm * 32;
  profile.max_blocks_per_sm = is.blocks_per_sm;
  profile.shared_per_sm = is.shared_kib_per_sm * kKib;
  profile.shared_per_block = 48 * kKib;
  profile.shared_per_block_optin = is.shared_kib_per_block * kKib;
  profile.reserved_shared_per_block = compute_capability >= 80 ? kKib : 0;
  profile.max_cluster = compute_capability >= 90 ? 8 : 1;
  profile.fp32_lanes_per_sm = is.fp32_lanes;
  profile.fp64_lanes_per_sm = is.fp64_lanes;
  // With half the lanes a FMA holds its issue port for two cycles, and its operands arrive in time.
  profile.fma_port_slowdown = is.fp32_lanes >= 128 ? 2 : 1;
}

int parse_architecture(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    std::string_view digits = text.substr(prefix.size());
    if (digits.ends_with('a') || digits.ends_with('f')) digits.remove_suffix(1);
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && value > 0 ? value : 0;
  }
  return 0;
}

DeviceProfile profile_for_architecture(int compute_capability,
                                       std::span<const DeviceProfile> known) {
  DeviceProfile result;
  apply_architecture_limits(result, compute_capability);
  const DeviceProfile* like = nearest(compute_capability, known);
  if (like == nullptr) {
    throw TunerError(fmt::format(
        "sm_{} alone does not say how fast a device is, and no device profile was found to borrow "
        "rates from (configs/devices/*.json)",
        compute_capability));
  }
  const DeviceProfile limits = result;
  result.sm_count = like->sm_count;
  result.l2_bytes = like->l2_bytes;
  result.memory_bytes = like->memory_bytes;
  copy_fixed_rates(result, *like);
  scale_rates(result, *like);
  result.fp32_lanes_per_sm = limits.fp32_lanes_per_sm;
  result.fp64_lanes_per_sm = limits.fp64_lanes_per_sm;
  result.fma_port_slowdown = limits.fma_port_slowdown;
  result.id = fmt::format("sm_{}", compute_capability);
  result.name = fmt::format("a device of sm_{} ({} SMs, as {})", compute_capability, like->sm_count,
                            like->name);
  result.rates_source = "scaled";
  result.sources = fmt::format("limits of sm_{}; SM count, memory and rates of {} (cc {})",
                               compute_capability, like->name, like->compute_capability);
  return result;
}

DeviceProfile with_known_rates(const DeviceProfile& live, std::span<const DeviceProfile> known) {
  DeviceProfile result = live;
  const DeviceProfile* same = same_device(live, known);
  const DeviceProfile* like = same != nullptr ? same : nearest(live.compute_capability, known);
  if (like == nullptr) {
    result.rates_source = "scaled";
    result.sources = "rates estimated from the limits: no profile of a known device was found";
    complete_rates(result);
    return result;
  }
  // A clock that was measured here is better than the one that the driver sells.
  if (same != nullptr && like->rates_source == "calibrated") {
    result.core_clock_mhz = like->core_clock_mhz;
    result.dram_peak_gbps = like->dram_peak_gbps;
  }
  copy_fixed_rates(result, *like);
  scale_rates(result, *like);
  result.rates_source = same != nullptr ? like->rates_source : "scaled";
  result.sources = same != nullptr
                       ? like->sources
                       : fmt::format("rates of {}, scaled by SMs, clock and bandwidth", like->name);
  complete_rates(result);
  return result;
}

void complete_rates(DeviceProfile& profile) {
  const auto fill = [](double& rate, double value) {
    if (rate <= 0) rate = value;
  };
  const double clock_ghz = profile.core_clock_mhz * 1e-3;
  // Shares and cycles that devices from Turing to Blackwell keep within some 20 %.
  fill(profile.dram_gbps, 0.9 * profile.dram_peak_gbps);
  fill(profile.dram_read_gbps, 1.04 * profile.dram_gbps);
  fill(profile.dram_latency_ns, 500);
  fill(profile.l2_gbps, 21 * clock_ghz * profile.sm_count);
  fill(profile.l2_latency_ns, clock_ghz > 0 ? 260 / clock_ghz : 150);
  fill(profile.blocks_per_us, 0.6e3 * clock_ghz);
}

}  // namespace tuner::models
