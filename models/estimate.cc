#include "models/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/explain.h"
#include "models/join.h"
#include "models/launch_limits.h"
#include "models/pipes.h"

namespace tuner::models {
namespace {

// A kernel spends this share of its time on spills only where another tile would not.
constexpr double kHeavySpill = 0.35;
// Cards run above the clock and memory rate that they are sold with; the bound must hold there too.
constexpr double kRoofHeadroom = 1.15;

bool is_memset(const LaunchShape& shape) { return shape.memset_bytes > 0; }

bool is_described(const LaunchShape& shape) {
  return is_memset(shape) || !shape.accesses.empty() || shape.fma_per_thread > 0 ||
         shape.instructions_per_thread > 0;
}

double threads_of(const LaunchShape& shape) {
  return static_cast<double>(shape.blocks) * shape.threads;
}

// A launch of which nothing is known takes its share of the useful work: FMAs in one chain, bytes
// in four-byte loads, coalesced, one in flight a thread.
void assume_work(LaunchShape& shape, double flops, double bytes, double threads) {
  constexpr double kWordBytes = 4;
  if (threads <= 0) return;
  shape.fma_per_thread = flops / 2 / threads;
  MemoryAccess access;
  access.name = "useful bytes";
  access.requests_per_warp = bytes / kWordBytes / threads;
  access.sectors_per_request = 4;
  access.lines_per_request = 1;
  access.granules_per_request = 2;
  shape.accesses.push_back(access);
}

KernelShape with_assumed_work(const DeviceProfile& device, const KernelShape& kernel) {
  KernelShape result = kernel;
  double threads = 0;
  for (const LaunchShape& shape : kernel.launches) threads += threads_of(shape);
  for (LaunchShape& shape : result.launches) {
    assume_work(shape, kernel.useful_flops, kernel.useful_bytes, threads);
    for (MemoryAccess& access : shape.accesses) {
      access.granules_per_request = 128.0 / device.dram_granule;
    }
  }
  return result;
}

double memset_ns(const DeviceProfile& device, const LaunchShape& shape) {
  const bool in_l2 = shape.memset_bytes <= 0.5 * static_cast<double>(device.l2_bytes);
  return shape.memset_bytes / (in_l2 ? device.l2_gbps : device.dram_gbps);
}

// What is told beside the score. Sums over the launches, in the order in which `Pipe` lists them.
class Reasons {
 public:
  void add(const char* name, double time_ns) {
    if (time_ns <= 0) return;
    for (Pipe& pipe : pipes_) {
      if (pipe.name == name) {
        pipe.time_ns += time_ns;
        return;
      }
    }
    pipes_.push_back({name, time_ns});
  }
  void add(const LaunchLoad& load, const PipeTimes& times, double joined) {
    for (const NamedPipe& pipe : kPipes) add(pipe.name, times.*pipe.time);
    add("tail", joined - even_ns(load, times));
  }
  void add(const Occupancy& occupancy) { occupancy_.push_back(occupancy); }
  void move_to(Estimate& result) {
    std::stable_sort(pipes_.begin(), pipes_.end(),
                     [](const Pipe& a, const Pipe& b) { return a.time_ns > b.time_ns; });
    result.pipes = std::move(pipes_);
    result.occupancy = std::move(occupancy_);
  }

 private:
  std::vector<Pipe> pipes_;
  std::vector<Occupancy> occupancy_;
};

void drop(Score& result, std::string reason) {
  if (!result.keep) return;
  result.keep = false;
  result.drop_reason = std::move(reason);
}

// A launch that is queued behind another one of the same run begins while that ends: half of what
// the first one takes. (Reductions in one launch and in two, on an H200.)
double launch_ns(const DeviceProfile& device, bool first) {
  constexpr double kQueued = 0.5;
  return device.launch_us * 1e3 * (first ? 1 : kQueued);
}

// What the roofs alone allow: no form of joining, no latency.
double bound_ns(const DeviceProfile& device, const KernelShape& kernel) {
  bool fp64 = false;
  double dispatch = 0;
  double launches = 0;
  for (const LaunchShape& shape : kernel.launches) {
    fp64 = fp64 || shape.fp64;
    launches += launch_ns(device, &shape == &kernel.launches.front());
    if (!is_memset(shape)) {
      dispatch += static_cast<double>(shape.blocks) / device.blocks_per_us * 1e3;
    }
  }
  const double peak_gflops = fp64 ? device.fp64_gflops() : device.fp32_gflops();
  const double from_dram =
      kernel.cold ? kernel.useful_bytes
                  : std::max(0.0, kernel.useful_bytes - static_cast<double>(device.l2_bytes));
  return std::max({kernel.useful_flops / peak_gflops, from_dram / device.dram_peak_gbps, dispatch,
                   launches}) /
         kRoofHeadroom;
}

// `reasons` may be nullptr.
void add_launch(const DeviceProfile& device, const LaunchShape& shape, bool cold,
                std::string_view without, Reasons* reasons, Score& result) {
  const AssumedResources resources = assumed_resources(device, shape);
  const Occupancy resident = occupancy(device, resources.block);
  if (reasons != nullptr) reasons->add(resident);
  if (std::string why = launch_refusal(device, shape, resident); !why.empty()) {
    drop(result, std::move(why));
    return;
  }
  constexpr int kWarp = 32;
  const int whole_warps = (shape.threads + kWarp - 1) / kWarp;
  const double warps_per_block = whole_warps;
  const LaunchLoad load{
      .device = device,
      .shape = shape,
      .warps_per_block = warps_per_block,
      .warps = warps_per_block * static_cast<double>(shape.blocks),
      .resident_blocks = std::min(static_cast<double>(resident.blocks_per_sm),
                                  std::ceil(static_cast<double>(shape.blocks) / device.sm_count)),
      .spill_bytes = resources.spill_bytes,
      .cold = cold};
  PipeTimes pipes = pipe_times(load);
  for (const NamedPipe& pipe : kPipes) {
    if (pipe.name == without) pipes.*pipe.time = 0;
  }
  const double joined = joined_ns(load, pipes);
  const double exchange = without == kExchange ? 0 : shape.exchanges * device.exchange_us * 1e3;
  // L2 serves an address one operation after the other; the blocks of a wave come all at once.
  const double atomics = without == kAtomics
                             ? 0
                             : shape.atomics * static_cast<double>(shape.blocks) * device.atomic_ns;
  if (reasons != nullptr) {
    reasons->add(load, pipes, joined);
    reasons->add(kExchange, exchange);
    reasons->add(kAtomics, atomics);
  }
  result.time_ns += joined + exchange + atomics;
  if (pipes.spill > kHeavySpill * joined) drop(result, "spills");
}

void add_launches(const DeviceProfile& device, const KernelShape& kernel, std::string_view without,
                  Reasons* reasons, Score& result) {
  for (const LaunchShape& shape : kernel.launches) {
    const double launch = launch_ns(device, &shape == &kernel.launches.front());
    if (reasons != nullptr) reasons->add("launch", launch);
    result.time_ns += launch;
    if (!is_memset(shape)) {
      add_launch(device, shape, kernel.cold, without, reasons, result);
      continue;
    }
    result.time_ns += memset_ns(device, shape);
    if (reasons == nullptr) continue;
    reasons->add(Occupancy{});
    reasons->add("dram", memset_ns(device, shape));
  }
}

bool refuses(const Score& result) { return !result.keep && result.drop_reason != "spills"; }

bool is_described(const KernelShape& kernel) {
  return std::any_of(kernel.launches.begin(), kernel.launches.end(),
                     [](const LaunchShape& shape) { return is_described(shape); });
}

void add_score(const DeviceProfile& device, const KernelShape& kernel, std::string_view without,
               Reasons* reasons, Score& result) {
  if (is_described(kernel)) {
    add_launches(device, kernel, without, reasons, result);
  } else {
    add_launches(device, with_assumed_work(device, kernel), without, reasons, result);
  }
  result.bound_ns = bound_ns(device, kernel);
  result.time_ns = std::max(result.time_ns, result.bound_ns);
  if (refuses(result)) result.time_ns = std::numeric_limits<double>::infinity();
}

}  // namespace

Score score(const DeviceProfile& device, const KernelShape& kernel, std::string_view without) {
  Score result;
  add_score(device, kernel, without, nullptr, result);
  return result;
}

Estimate estimate(const DeviceProfile& device, const KernelShape& kernel,
                  std::string_view without) {
  Estimate result;
  Reasons reasons;
  add_score(device, kernel, without, &reasons, result);
  reasons.move_to(result);
  explain(device, kernel, is_described(kernel), result);
  return result;
}

}  // namespace tuner::models
