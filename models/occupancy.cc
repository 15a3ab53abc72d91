#include "models/occupancy.h"

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "expr/error.h"

namespace tuner::models {
namespace {

constexpr int kWarp = 32;

int warps_of(int threads) { return (threads + kWarp - 1) / kWarp; }

cudaOccDeviceProp properties_of(const DeviceProfile& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_capability / 10;
  properties.computeMinor = device.compute_capability % 10;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_sm;
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_sm;
  properties.warpSize = kWarp;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_per_sm);
  properties.numSms = std::max(device.sm_count, 1);
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.reserved_shared_per_block);
  return properties;
}

cudaOccFuncAttributes attributes_of(const DeviceProfile& device, const BlockResources& block) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = device.max_threads_per_block;
  attributes.numRegs = block.registers_per_thread;
  attributes.sharedSizeBytes = static_cast<std::size_t>(block.static_shared);
  // The measuring side raises the attribute to what a launch needs, up to the opt-in limit.
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(block.dynamic_shared);
  attributes.numBlockBarriers = 1;
  return attributes;
}

void check(cudaOccError status, const DeviceProfile& device) {
  if (status == CUDA_OCC_SUCCESS) return;
  throw TunerError(fmt::format(
      "The occupancy of '{}' (compute capability {}) cannot be computed: the CUDA Toolkit's "
      "cuda_occupancy.h {}. Check the limits of its profile.",
      device.name, device.compute_capability,
      status == CUDA_OCC_ERROR_UNKNOWN_DEVICE ? "does not know the architecture"
                                              : "refuses its limits"));
}

std::string register_refusal(const DeviceProfile& device, const BlockResources& block) {
  const std::int64_t needed = std::int64_t{block.registers_per_thread} * block.threads;
  if (needed > device.registers_per_block) {
    return fmt::format("{} registers x {} threads need {} registers; a block may have {}",
                       block.registers_per_thread, block.threads, needed,
                       device.registers_per_block);
  }
  return fmt::format(
      "{} registers x {} threads, allocated in whole warps over the SM's partitions, need more "
      "than "
      "the {} registers of a block",
      block.registers_per_thread, block.threads, device.registers_per_block);
}

// Sizes that cuda_occupancy.h would take as an invalid question, or silently narrow.
std::string early_refusal(const DeviceProfile& device, const BlockResources& block) {
  const std::int64_t shared = block.static_shared + block.dynamic_shared;
  if (block.threads < 1) return fmt::format("{} threads a block; at least 1", block.threads);
  if (block.threads > device.max_threads_per_block) {
    return fmt::format("{} threads a block; a block may have {}", block.threads,
                       device.max_threads_per_block);
  }
  if (block.registers_per_thread > device.max_registers_per_thread) {
    return fmt::format("{} registers a thread; a thread may have {}", block.registers_per_thread,
                       device.max_registers_per_thread);
  }
  if (block.static_shared > device.shared_per_block) {
    return fmt::format(
        "{} bytes of static shared memory; a block may have {} (more must be dynamic)",
        block.static_shared, device.shared_per_block);
  }
  if (shared > std::max(device.shared_per_block_optin, device.shared_per_block)) {
    return fmt::format("{} bytes of shared memory; a block may have {} with opt-in", shared,
                       std::max(device.shared_per_block_optin, device.shared_per_block));
  }
  return {};
}

std::vector<Limiter> binding(const Occupancy::Limits& limits, int blocks) {
  std::vector<Limiter> result;
  if (limits.warps == blocks) result.push_back(Limiter::warps);
  if (limits.registers == blocks) result.push_back(Limiter::registers);
  if (limits.shared_memory == blocks) result.push_back(Limiter::shared_memory);
  if (limits.blocks == blocks) result.push_back(Limiter::blocks);
  return result;
}

Occupancy finish(const Occupancy::Limits& limits, int threads, int max_warps) {
  Occupancy result;
  result.limits = limits;
  result.blocks_per_sm =
      std::min({limits.warps, limits.registers, limits.shared_memory, limits.blocks});
  result.warps_per_sm = result.blocks_per_sm * warps_of(threads);
  result.max_warps_per_sm = max_warps;
  result.occupancy = max_warps > 0 ? static_cast<double>(result.warps_per_sm) / max_warps : 0;
  result.limiters = binding(limits, result.blocks_per_sm);
  return result;
}

Occupancy refused(std::string why, int max_warps) {
  Occupancy result;
  result.max_warps_per_sm = max_warps;
  result.refusal = std::move(why);
  return result;
}

std::string refusal_of(const DeviceProfile& device, const BlockResources& block,
                       const Occupancy& result) {
  if (result.blocks_per_sm > 0) return {};
  if (result.limits.registers == 0) return register_refusal(device, block);
  if (result.limits.shared_memory == 0) {
    return fmt::format("{} bytes of shared memory do not fit into a SM's {}",
                       block.static_shared + block.dynamic_shared, device.shared_per_sm);
  }
  return "no block fits into a SM";
}

}  // namespace

std::string_view to_string(Limiter limiter) {
  switch (limiter) {
    case Limiter::warps:
      return "warps";
    case Limiter::registers:
      return "registers";
    case Limiter::shared_memory:
      return "shared memory";
    case Limiter::blocks:
      return "blocks";
  }
  return "";
}

Occupancy occupancy(const DeviceProfile& device, const BlockResources& block) {
  if (std::string why = early_refusal(device, block); !why.empty()) {
    return refused(std::move(why), device.max_warps_per_sm());
  }
  const cudaOccDeviceProp properties = properties_of(device);
  const cudaOccFuncAttributes attributes = attributes_of(device, block);
  const cudaOccDeviceState state;
  cudaOccResult found{};
  check(cudaOccMaxActiveBlocksPerMultiprocessor(&found, &properties, &attributes, &state,
                                                block.threads,
                                                static_cast<std::size_t>(block.dynamic_shared)),
        device);
  const Occupancy::Limits limits{.warps = found.blockLimitWarps,
                                 .registers = found.blockLimitRegs,
                                 .shared_memory = found.blockLimitSharedMem,
                                 .blocks = found.blockLimitBlocks};
  Occupancy result = finish(limits, block.threads, device.max_warps_per_sm());
  result.refusal = refusal_of(device, block, result);
  return result;
}

SuggestedLaunch suggest_block(const DeviceProfile& device, BlockResources block) {
  const cudaOccDeviceProp properties = properties_of(device);
  const cudaOccFuncAttributes attributes = attributes_of(device, block);
  const cudaOccDeviceState state;
  SuggestedLaunch result;
  check(cudaOccMaxPotentialOccupancyBlockSize(&result.min_grid, &result.block, &properties,
                                              &attributes, &state, nullptr,
                                              static_cast<std::size_t>(block.dynamic_shared)),
        device);
  return result;
}

Occupancy textbook_occupancy(const TextbookSm& sm, const BlockResources& block) {
  const int warps = warps_of(block.threads);
  const std::int64_t shared = block.static_shared + block.dynamic_shared;
  const std::int64_t registers = std::int64_t{block.registers_per_thread} * block.threads;
  if (block.threads < 1 || block.threads > sm.max_threads_per_block) {
    return refused(fmt::format("{} threads a block; a block may have 1 to {}", block.threads,
                               sm.max_threads_per_block),
                   sm.max_warps);
  }
  constexpr std::int64_t kNoLimit = std::numeric_limits<int>::max();
  const Occupancy::Limits limits{
      .warps = sm.max_warps / warps,
      .registers = static_cast<int>(registers > 0 ? sm.registers / registers : kNoLimit),
      .shared_memory = static_cast<int>(shared > 0 ? sm.shared_bytes / shared : kNoLimit),
      .blocks = sm.max_blocks};
  Occupancy result = finish(limits, block.threads, sm.max_warps);
  if (limits.registers == 0) {
    result.refusal =
        fmt::format("{} registers x {} threads need {} registers; the SM has {}",
                    block.registers_per_thread, block.threads, registers, sm.registers);
  } else if (limits.shared_memory == 0) {
    result.refusal =
        fmt::format("{} bytes of shared memory a block; the SM has {}", shared, sm.shared_bytes);
  }
  return result;
}

}  // namespace tuner::models
