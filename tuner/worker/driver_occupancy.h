// What the driver itself says of compiled kernels' occupancy, to hold the model against.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace tuner {

struct OccupancyQuery {
  std::string cubin;                // path
  std::string lowered_name;         // of the kernel
  int threads = 0;                  // a block
  std::int64_t dynamic_shared = 0;  // bytes a block
};

struct DriverOccupancy {
  int blocks_per_sm = 0;  // cuOccupancyMaxActiveBlocksPerMultiprocessor
  // cuOccupancyMaxPotentialBlockSize: the block of the highest occupancy, and the blocks of it that
  // fill the GPU.
  int suggested_block = 0, min_grid = 0;
  std::string problem;  // why there is no answer; empty where there is one
};

// One answer for each query, in their order. Asks a short-lived process, so that the parent never
// holds a context. Does not throw for what the driver refuses, or for a process that is lost: then
// the answers say so.
std::vector<DriverOccupancy> driver_occupancy(int device, std::span<const OccupancyQuery> queries);

// In that process: the answer to {occupancy, device, queries}. Throws TunerError where there is no
// such device.
nlohmann::json answer_occupancy(const nlohmann::json& request);

void to_json(nlohmann::json& json, const OccupancyQuery& query);
void from_json(const nlohmann::json& json, OccupancyQuery& query);
void to_json(nlohmann::json& json, const DriverOccupancy& answer);
void from_json(const nlohmann::json& json, DriverOccupancy& answer);

}  // namespace tuner
