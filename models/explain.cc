#include "models/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tuner::models {
namespace {

// Bytes that a warp asks of shared memory (or of L1) for each FMA of its lanes.
double shared_bytes_per_fma(const LaunchShape& shape) {
  double bytes = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (access.shared && !access.store) bytes += access.requests_per_warp * access.width_bytes;
  }
  return shape.fma_per_thread > 0 ? bytes / shape.fma_per_thread : 0;
}

const MemoryAccess* worst_banks(const LaunchShape& shape) {
  const MemoryAccess* worst = nullptr;
  double most = 1.5;  // wavefronts beyond those that the width alone takes
  for (const MemoryAccess& access : shape.accesses) {
    const double least = std::max(1.0, access.width_bytes / 4.0);
    if (access.shared && access.bank_wavefronts / least >= most) {
      most = access.bank_wavefronts / least;
      worst = &access;
    }
  }
  return worst;
}

const MemoryAccess* least_efficient(const LaunchShape& shape) {
  const MemoryAccess* worst = nullptr;
  for (const MemoryAccess& access : shape.accesses) {
    if (access.shared || access.requests_per_warp <= 0) continue;
    if (worst == nullptr || access.efficiency < worst->efficiency) worst = &access;
  }
  return worst;
}

std::string limiter_words(const Occupancy& occupancy) {
  std::string words;
  for (const Limiter limiter : occupancy.limiters) {
    if (!words.empty()) words += " and ";
    words += to_string(limiter);
  }
  return words.empty() ? "nothing" : words;
}

std::string resident_words(const Occupancy& occupancy) {
  return fmt::format("{} of {} warps are resident ({} binding)", occupancy.warps_per_sm,
                     occupancy.max_warps_per_sm, limiter_words(occupancy));
}

std::string dram_words(const LaunchShape& shape) {
  const MemoryAccess* worst = least_efficient(shape);
  if (worst != nullptr && worst->efficiency < 0.8) {
    return fmt::format(
        "Bound by DRAM bandwidth, and {} uses only {:.0f} % of the bytes it moves ({:.1f} sectors "
        "a "
        "request): neighbouring lanes should touch neighbouring elements.",
        worst->name, 100 * worst->efficiency, worst->sectors_per_request);
  }
  return "Bound by DRAM bandwidth with the bytes it moves well used: only moving fewer bytes, or "
         "finding them in cache, would make it faster.";
}

std::string latency_words(const LaunchShape& shape, const Occupancy& occupancy) {
  return fmt::format(
      "Bound by latency: {}, each with {:.0f} independent loads and {:.0f} independent chains. "
      "More "
      "independent work a thread, wider loads, or more resident warps would hide it.",
      resident_words(occupancy), std::max(1.0, shape.loads_in_flight), std::max(1.0, shape.ilp));
}

std::string chain_words(const LaunchShape& shape, const Occupancy& occupancy) {
  return fmt::format(
      "Bound by what one warp does one after the other: {}, each with {:.0f} independent chains. "
      "More warps, or more independent work a thread, would hide it.",
      resident_words(occupancy), std::max(1.0, shape.ilp));
}

std::string shared_words(const LaunchShape& shape) {
  if (const MemoryAccess* worst = worst_banks(shape); worst != nullptr) {
    return fmt::format(
        "Bound by shared-memory bandwidth: {} takes {:.1f} wavefronts a request for bank "
        "conflicts; "
        "padding the rows or another lane layout would cut them.",
        worst->name, worst->bank_wavefronts);
  }
  if (const double bytes = shared_bytes_per_fma(shape); bytes > 0) {
    return fmt::format(
        "Bound by shared-memory bandwidth: each FMA needs {:.2f} B of shared loads; a larger tile "
        "per "
        "thread would cut it.",
        bytes);
  }
  return "Bound by L1 bandwidth: the requests touch many lines or are many; wider accesses, or "
         "staging in registers or shared memory, would cut them.";
}

std::string issue_words(const LaunchShape& shape) {
  if (shape.fma_per_thread > 0) {
    return fmt::format(
        "Bound by instruction issue: {:.2f} other instructions for each FMA; wider accesses, more "
        "unrolling and a larger tile per thread leave fewer.",
        shape.instructions_per_thread / shape.fma_per_thread);
  }
  return fmt::format(
      "Bound by instruction issue: {:.0f} instructions a thread beside its accesses; cheaper index "
      "arithmetic, or more elements a thread, would cut them.",
      shape.instructions_per_thread);
}

std::string fma_words(const DeviceProfile& device, const LaunchShape& shape) {
  if (!shape.fp64 && shape.ilp < device.fma_port_free_chains && device.fma_port_slowdown > 1) {
    return fmt::format(
        "Bound by FMAs that wait for their registers: with {:.0f} independent chains a thread, "
        "three-"
        "register FMAs do not reach the full rate; {:.0f} chains would.",
        std::max(1.0, shape.ilp), device.fma_port_free_chains);
  }
  return "Bound by the FMA pipe, as it should be: only fewer operations would make it faster.";
}

std::string dispatch_words(const LaunchShape& shape) {
  return fmt::format(
      "Bound by block dispatch: {} blocks of {} threads start slower than they run. Larger blocks, "
      "or "
      "more elements a thread, would need fewer.",
      shape.blocks, shape.threads);
}

std::string tail_words(const DeviceProfile& device, const LaunchShape& shape,
                       const Occupancy& occupancy) {
  const double slots = static_cast<double>(device.sm_count) * std::max(occupancy.blocks_per_sm, 1);
  return fmt::format(
      "Bound by its tail: {} blocks are {:.2f} waves of {:.0f}, and in the last one most of the "
      "GPU "
      "idles. Smaller tiles, or a split of the work, would fill it.",
      shape.blocks, static_cast<double>(shape.blocks) / slots, slots);
}

// The launch with the most warps: the one that the words are about.
std::size_t main_launch(const KernelShape& kernel) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < kernel.launches.size(); ++i) {
    const LaunchShape& shape = kernel.launches[i];
    const double threads = static_cast<double>(shape.blocks) * shape.threads;
    if (threads > most) {
      most = threads;
      best = i;
    }
  }
  return best;
}

std::string bound_words(const DeviceProfile& device, const LaunchShape& shape,
                        const Occupancy& occupancy, const std::string& bound) {
  if (bound == "dram") return dram_words(shape);
  if (bound == "l2") {
    return "Bound by L2 bandwidth: what the blocks share is fetched by each of them; a larger tile "
           "per "
           "block would fetch it less often.";
  }
  if (bound == "latency") return latency_words(shape, occupancy);
  if (bound == "chain") return chain_words(shape, occupancy);
  if (bound == "exchange") {
    return "Bound by blocks that wait for each other's sums: fewer parts of a sum, or a cluster's "
           "shared memory, would shorten it.";
  }
  if (bound == "atomics") {
    return "Bound by atomic operations of all blocks at one address, one after the other: fewer "
           "blocks, each with more work, would need fewer.";
  }
  if (bound == "fma") return fma_words(device, shape);
  if (bound == "issue") return issue_words(shape);
  if (bound == "shared") return shared_words(shape);
  if (bound == "spill") {
    return "Bound by register spills: the thread's values do not fit its registers; a smaller tile "
           "per "
           "thread, or fewer threads a block, would keep them there.";
  }
  if (bound == "barrier") {
    return "Bound by barriers: too little work between them; a deeper tile, or more resident "
           "blocks, "
           "would hide them.";
  }
  if (bound == "dispatch") return dispatch_words(shape);
  if (bound == "tail") return tail_words(device, shape, occupancy);
  return "Bound by launch overhead: the work is short against starting it; fewer launches would "
         "help.";
}

}  // namespace

void explain(const DeviceProfile& device, const KernelShape& kernel, bool described,
             Estimate& result) {
  if (kernel.launches.empty()) {
    result.words = "Nothing is launched.";
    return;
  }
  const std::size_t main = main_launch(kernel);
  const Occupancy& occupancy = result.occupancy[main];
  if (!result.pipes.empty()) result.bound = result.pipes.front().name;
  if (!result.keep && result.drop_reason != "spills") {
    const auto refused = std::find_if(result.occupancy.begin(), result.occupancy.end(),
                                      [](const Occupancy& o) { return !o.refusal.empty(); });
    const std::string why =
        refused != result.occupancy.end() ? fmt::format(": {}", refused->refusal) : "";
    result.bound.clear();
    result.words = fmt::format("Not launched ({}){}.", result.drop_reason, why);
    return;
  }
  result.words = bound_words(device, kernel.launches[main], occupancy, result.bound);
  if (described && kernel.launches[main].derived) {
    result.words += " The kernel has no model: this rests on what its PTX shows.";
  }
  if (!described) {
    result.words += " The kernel has no model: this rests on its useful work and occupancy alone.";
  }
}

}  // namespace tuner::models
