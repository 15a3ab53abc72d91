// A GPU that has exactly the rates of a profile: what each micro-kernel of a calibration would take
// on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "models/calibration.h"
#include "models/estimate.h"
#include "models/join.h"

namespace tuner::models {

class SyntheticGpu {
 public:
  // `noise`: standard deviation of the relative error of a time.
  SyntheticGpu(DeviceProfile profile, double noise) : gpu_(std::move(profile)), error_(0, noise) {}

  const DeviceProfile& profile() const { return gpu_; }

  double time_ns(const ProbePoint& point) {
    const double launch = point.probe == Probe::scale ? 0 : gpu_.launch_us * 1e3;
    return (launch + work_ns(point)) * (1 + error_(random_));
  }

  ProbePoint timed(ProbePoint point) {
    point.time_ns = time_ns(point);
    return point;
  }

 private:
  double ghz() const { return gpu_.core_clock_mhz * 1e-3; }

  // Cycles of one FMA of every thread of the SM.
  double fma_cycles(const ProbePoint& point, double threads) const {
    double factor = 1;
    if (point.probe == Probe::fma_three) {
      const double held = 1 - std::log2(point.variant) / std::log2(gpu_.fma_port_free_chains);
      factor = 1 + (gpu_.fma_port_slowdown - 1) * std::clamp(held, 0.0, 1.0);
    }
    return std::max(threads / gpu_.fp32_lanes_per_sm * factor,
                    gpu_.fma_latency_cycles / point.variant);
  }

  double cycles(const ProbePoint& point) const {
    const double threads = static_cast<double>(point.threads) * std::max(point.blocks_per_sm, 1);
    const double warps = threads / 32;
    switch (point.probe) {
      case Probe::clock:
        return point.amount;
      case Probe::fma_three:
      case Probe::fma_two:
      case Probe::fma_immediate:
        return point.amount * fma_cycles(point, threads);
      case Probe::fma_double:
        return point.amount * threads / gpu_.fp64_lanes_per_sm;
      case Probe::issue:
        return point.amount * warps / gpu_.issue_per_clock;
      case Probe::shared_read:
        return point.amount * warps * 128 / gpu_.shared_bytes_per_clock;
      case Probe::shared_chase:
        return point.amount * gpu_.shared_latency_cycles;
      case Probe::tags:
        return point.amount * warps * point.variant / gpu_.l1_lines_per_clock;
      case Probe::barrier:
        return point.amount * (gpu_.barrier_cycles + warps);
      default:
        return 0;
    }
  }

  double work_ns(const ProbePoint& point) const {
    const double waiting =
        point.variant > 0 ? point.amount * gpu_.dram_latency_ns / (point.variant * gpu_.sm_count)
                          : 0;
    switch (point.probe) {
      case Probe::launch:
        return 0;
      case Probe::dispatch:
        return point.amount / gpu_.blocks_per_us * 1e3;
      case Probe::l2_read:
        return point.amount / gpu_.l2_gbps;
      case Probe::l2_chase:
        return point.amount * gpu_.l2_latency_ns;
      case Probe::dram_chase:
        return point.amount * gpu_.dram_latency_ns;
      case Probe::read:
        return norm(waiting, point.amount / gpu_.dram_read_gbps, gpu_.latency_norm);
      case Probe::copy:
        return norm(waiting, 2 * point.amount / gpu_.dram_gbps, gpu_.latency_norm);
      case Probe::strided:
        return point.amount * std::min(point.variant, 1.0 * gpu_.dram_granule) /
               gpu_.dram_read_gbps;
      case Probe::scale:
        return estimate(gpu_, scale_shape(gpu_, point.threads, point.amount)).time_ns;
      default:
        return cycles(point) / ghz();
    }
  }

  DeviceProfile gpu_;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> error_;
};

}  // namespace tuner::models
