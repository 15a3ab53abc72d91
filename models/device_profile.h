// What a GPU can do: its limits, and the rates that the time estimate needs. From a live device
// (tuner/gpu fills it in) or from configs/devices/<gpu>.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tuner::models {

struct DeviceProfile {
  std::string name;   // as the driver says: "NVIDIA H200"
  std::string id;     // file name without .json: "h200"
  std::string rates_source;  // "specification", "calibrated" or "scaled": where the rates below come from

  // Limits.
  int compute_capability = 0;  // major * 10 + minor
  int sm_count = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int max_registers_per_thread = 255;
  int registers_per_sm = 65536;
  int registers_per_block = 65536;
  std::int64_t shared_per_sm = 0;          // bytes
  std::int64_t shared_per_block = 49152;   // bytes, without opt-in
  std::int64_t shared_per_block_optin = 0; // bytes
  std::int64_t reserved_shared_per_block = 0;  // bytes, 1024 from cc 8.0
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;
  int max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  int max_cluster = 1;  // blocks; 8 from cc 9.0
  bool cooperative_launch = true;

  // Rates.
  double core_clock_mhz = 0;    // boost
  int fp32_lanes_per_sm = 128;
  double fp64_lanes_per_sm = 2;
  double dram_peak_gbps = 0;    // by the specification
  double dram_gbps = 0;         // reachable by a copy, read + written
  double l2_gbps = 0;           // reachable
  int dram_granule = 32;        // bytes that DRAM moves at least
  double dram_latency_ns = 0;   // t0 of the bytes-in-flight law
  double latency_norm = 1.5;    // p of the bytes-in-flight law
  double launch_us = 3.5;       // an empty launch, back to back
  double blocks_per_us = 0;     // block dispatch rate of the whole GPU
  double shared_bytes_per_clock = 128;  // an SM
  double fma_latency_cycles = 4;
  double shared_latency_cycles = 29;

  int max_warps_per_sm() const { return max_threads_per_sm / 32; }
  double fp32_gflops() const { return sm_count * fp32_lanes_per_sm * 2.0 * core_clock_mhz * 1e-3; }
  double fp64_gflops() const { return sm_count * fp64_lanes_per_sm * 2.0 * core_clock_mhz * 1e-3; }
};

void to_json(nlohmann::json& json, const DeviceProfile& profile);
// Throws TunerError naming `origin`, the JSON pointer, the value and what was expected.
DeviceProfile parse_device_profile(const nlohmann::json& json, const std::string& origin);
DeviceProfile load_device_profile(const std::filesystem::path& path);

// Limits that the architecture alone decides (FACTS table of cc 7.5 ... 12.0), for `--device sm_90`, which
// then borrows sm_count and rates from `nearest` profiles. Throws TunerError for an unknown architecture.
void apply_architecture_limits(DeviceProfile& profile, int compute_capability);

}  // namespace tuner::models
