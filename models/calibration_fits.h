// The fits behind models/calibration.h, one a figure or a family of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/calibration.h"

namespace tuner::models {

struct Fitted {
  double value = 0;
  double residual = 0;
  int points = 0;
  std::string problem;  // why there is no value; empty where there is one
  std::string note;
};

// The points of one calibration, by what they time. They must outlive it.
class Points {
 public:
  explicit Points(std::span<const ProbePoint> all) : all_(all) {}
  std::vector<ProbePoint> of(Probe probe) const;
  // variant or threads: of these alone; negative: any.
  std::vector<ProbePoint> of(Probe probe, double variant, int threads) const;
  std::vector<double> variants(Probe probe) const;  // ascending, each once
  std::vector<int> threads(Probe probe) const;      // likewise

 private:
  std::span<const ProbePoint> all_;
};

// ns of one more unit of `amount`: the slope of time = begin + slope * amount.
Fitted slope_ns(const std::vector<ProbePoint>& points);

Fitted fit_launch_us(const Points& points);
Fitted fit_blocks_per_us(const Points& points);  // blocks of 64 to 256 threads together
Fitted fit_clock_mhz(const Points& points);

// Of the SM; `ghz` is its clock.
Fitted fit_fma_latency(const Points& points, double ghz);    // cycles
Fitted fit_fma_per_clock(const Points& points, double ghz);  // the most, of any kind and chains
Fitted fit_fp64_per_clock(const Points& points, double ghz);
Fitted fit_issue_per_clock(const Points& points, double ghz);  // warp instructions
Fitted fit_shared_bytes_per_clock(const Points& points, double ghz);
Fitted fit_shared_latency(const Points& points, double ghz);  // cycles
Fitted fit_lines_per_clock(const Points& points, double ghz);
Fitted fit_barrier(const Points& points, double ghz);  // cycles, beside one for each warp

// What three-register FMAs of few chains take, against the fastest kind: falling linearly in
// log2(chains) from `slowdown` to 1 at `free_chains`.
struct PortFit {
  Fitted slowdown, free_chains;
};
PortFit fit_ports(const Points& points);

Fitted fit_l2_gbps(const Points& points);
Fitted fit_l2_latency_ns(const Points& points);
Fitted fit_dram_chase_ns(const Points& points);

// time = launch + norm_p(bytes * t0 / in flight, moved bytes / roof): the law of docs/model.md,
// with one t0 and p for reads and copies and a roof for each.
struct StreamFit {
  Fitted read_gbps, copy_gbps, latency_ns, norm;
};
StreamFit fit_streams(const Points& points, int sm_count, double launch_us);

// 32, 64 or 128 bytes: what explains the strided reads best.
Fitted fit_dram_granule(const Points& points);

// Through the whole estimate, with all other rates as `device` has them.
Fitted fit_block_drain(const Points& points, const DeviceProfile& device);

}  // namespace tuner::models
