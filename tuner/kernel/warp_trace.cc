#include "tuner/kernel/warp_trace.h"

#include <algorithm>

namespace tuner {
namespace {

constexpr std::int64_t kWarp = 32;
// The busiest lane's counts are the warp's: one is followed to its end, the others for long enough
// to tell their addresses in most kernels.
constexpr std::int64_t kStepsOfOthers = 250'000;

std::vector<WarpRequest> join_lanes(const std::vector<ptx::Walk>& lanes, std::size_t instruction,
                                    std::vector<std::vector<std::int64_t>> ptx::Walk::*field) {
  std::size_t most = 0;
  for (const ptx::Walk& lane : lanes) most = std::max(most, (lane.*field)[instruction].size());
  std::vector<WarpRequest> requests(most);
  for (std::size_t n = 0; n < most; ++n) {
    WarpRequest& request = requests[n];
    request.addresses.fill(-1);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::vector<std::int64_t>& addresses = (lanes[lane].*field)[instruction];
      if (n >= addresses.size()) {
        if (lanes[lane].complete) continue;
        // It was not followed as far, and is taken to come here, too.
        ++request.active_lanes;
        request.known = false;
        continue;
      }
      ++request.active_lanes;
      request.known = request.known && addresses[n] != ptx::kUnknownAddress;
      request.addresses[lane] = addresses[n];
    }
  }
  return requests;
}

WarpTrace join_lanes(const std::vector<ptx::Walk>& lanes, double weight) {
  WarpTrace warp;
  warp.weight = weight;
  const std::size_t size = lanes.front().executions.size();
  warp.executions.resize(size);
  warp.copy_bytes.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (const ptx::Walk& lane : lanes) {
      warp.executions[i] = std::max(warp.executions[i], lane.executions[i]);
      warp.copy_bytes[i] = std::max(warp.copy_bytes[i], lane.copy_bytes[i]);
    }
    warp.requests.push_back(join_lanes(lanes, i, &ptx::Walk::addresses));
    warp.sources.push_back(join_lanes(lanes, i, &ptx::Walk::sources));
  }
  return warp;
}

class Tracer {
 public:
  Tracer(const ptx::Function& function, const ptx::ControlFlow& flow, const ptx::Launch& launch)
      : walker_(function, flow), launch_(launch) {
    threads_ = std::max<std::int64_t>(1, launch.block[0] * launch.block[1] * launch.block[2]);
    for (std::size_t i = 0; i < 3; ++i) block_[i] = launch.grid[i] / 2;
    trace_.unknown_trips.resize(flow.loops.size());
  }

  LaunchTrace trace() {
    const std::int64_t warps = (threads_ + kWarp - 1) / kWarp;
    const double first = 1 / static_cast<double>(warps);
    trace_.warps.push_back(warp(0, first));
    if (warps > 1) trace_.warps.push_back(warp(warps / 2, 1 - first));
    return std::move(trace_);
  }

 private:
  WarpTrace warp(std::int64_t index, double weight) {
    std::vector<ptx::Walk> lanes;
    const std::int64_t begin = index * kWarp;
    for (std::int64_t thread = begin; thread < std::min(threads_, begin + kWarp); ++thread) {
      ptx::WalkLimits limits;
      if (thread > begin) limits.steps = kStepsOfOthers;
      lanes.push_back(walker_.walk(launch_, {block_, thread}, limits));
      note(lanes.back(), thread == begin);
    }
    return join_lanes(lanes, weight);
  }

  void note(const ptx::Walk& walk, bool to_its_end) {
    trace_.unknown_branches |= walk.unknown_branches > 0;
    trace_.atomic_branches |= walk.atomic_branches > 0;
    if (!to_its_end && !walk.complete) return;
    trace_.complete &= walk.complete;
    for (std::size_t i = 0; i < walk.unknown_trips.size(); ++i) {
      if (walk.unknown_trips[i]) trace_.unknown_trips[i] = true;
    }
  }

  ptx::Walker walker_;
  const ptx::Launch& launch_;
  std::int64_t threads_ = 1;
  std::array<std::int64_t, 3> block_{};
  LaunchTrace trace_;
};

}  // namespace

LaunchTrace trace_launch(const ptx::Function& function, const ptx::ControlFlow& flow,
                         const ptx::Launch& launch) {
  return Tracer(function, flow, launch).trace();
}

}  // namespace tuner
