// What a GPU can do: its limits, and the rates that the time estimate needs. From a live device
// (tuner/gpu fills in the limits) or from configs/devices/<gpu>.json. Plain data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tuner::models {

struct DeviceProfile {
  std::string name;          // as the driver says: "NVIDIA H200"
  std::string id;            // file name without .json: "h200"
  std::string rates_source;  // where the rates come from: "specification", "calibrated", "scaled"
  std::string sources;       // in words: what was measured, what is published, what is a guess

  // Limits.
  int compute_capability = 0;  // major * 10 + minor
  int sm_count = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int max_registers_per_thread = 255;
  int registers_per_sm = 65536;
  int registers_per_block = 65536;
  std::int64_t shared_per_sm = 0;              // bytes
  std::int64_t shared_per_block = 49152;       // bytes, without opt-in
  std::int64_t shared_per_block_optin = 0;     // bytes
  std::int64_t reserved_shared_per_block = 0;  // bytes, 1024 from cc 8.0
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;
  int max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  int max_cluster = 1;  // blocks; 8 from cc 9.0
  bool cooperative_launch = true;

  // Rates. A rate of 0 is unknown: complete_rates() (models/architecture.h) gives it a value.
  double core_clock_mhz = 0;  // boost
  int fp32_lanes_per_sm = 128;
  double fp64_lanes_per_sm = 2;
  double issue_per_clock = 4;  // warp instructions a SM issues
  double fma_latency_cycles = 4;
  double fma_port_slowdown = 2;     // of a lone dependent chain of three-register FMAs: half rate
  double fma_port_free_chains = 4;  // from so many independent chains on nothing is held back
  double dram_peak_gbps = 0;        // by the specification
  double dram_gbps = 0;             // the roof that reads and writes together approach
  double dram_read_gbps = 0;        // the roof of reads alone
  int dram_granule = 64;            // bytes that DRAM moves at least
  double dram_latency_ns = 0;       // t0 of the bytes-in-flight law
  double latency_norm = 1.8;        // p of the bytes-in-flight law
  double l2_gbps = 0;               // reachable
  double l2_latency_ns = 0;
  double launch_us = 3.5;    // an empty launch, back to back
  double exchange_us = 2;    // from a block's last sum to another block's having it
  double atomic_ns = 0.3;    // an atomic operation among many at one address
  double blocks_per_us = 0;  // block dispatch rate of the whole GPU
  // Share of a memory round trip that the warps of a block wait for the slowest of them, for each
  // doubling of the warps.
  double block_drain = 0.1;
  double barrier_cycles = 30;           // a block-wide barrier with nothing to wait for
  double shared_bytes_per_clock = 128;  // a SM; L1 hits likewise
  double shared_latency_cycles = 29;
  double l1_lines_per_clock = 3.5;  // tags looked up: distinct 128-byte lines of a request

  int max_warps_per_sm() const { return max_threads_per_sm / 32; }
  double fp32_gflops() const { return sm_count * fp32_lanes_per_sm * 2.0 * core_clock_mhz * 1e-3; }
  double fp64_gflops() const { return sm_count * fp64_lanes_per_sm * 2.0 * core_clock_mhz * 1e-3; }
};

// The file: {"schema": "tuner.device", "version": 1, "name", "id", "rates_source", "sources",
// "limits": {field: value}, "rates": {field: value}} with the names of the fields above. Required:
// name, limits.compute_capability, limits.sm_count, rates.core_clock_mhz, rates.dram_peak_gbps.
// Limits that are left out are the architecture's, rates that are left out are estimated
// (architecture.h). Unknown keys are ignored; "calibration" (docs/files.md) only informs.
void to_json(nlohmann::json& json, const DeviceProfile& profile);

// Throws TunerError naming `origin`, the JSON pointer, the value and what was expected.
DeviceProfile parse_device_profile(const nlohmann::json& json, const std::string& origin);
// The id is the file's name where the file has none.
DeviceProfile load_device_profile(const std::filesystem::path& path);

}  // namespace tuner::models
