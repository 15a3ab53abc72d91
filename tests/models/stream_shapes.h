// Launch shapes of streaming kernels, as their source would describe them.
#pragma once

#include "models/estimate.h"
#include "models/memory_access.h"

namespace tuner::models {

struct Stream {
  std::int64_t elements = std::int64_t{1} << 28;  // floats
  int block = 256;
  int width = 1;   // floats a lane
  int items = 1;   // independent accesses a thread
  int stride = 1;  // of the reads, in floats
};

inline MemoryAccess stream_access(const DeviceProfile& device, const Stream& stream, int stride) {
  LaneAddresses at{};
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    at[static_cast<std::size_t>(lane)] = lane * stride * stream.width * 4;
  }
  const GlobalRequest request = global_request(at, stream.width * 4, device.dram_granule);
  MemoryAccess access;
  access.width_bytes = stream.width * 4;
  access.requests_per_warp = stream.items;
  access.sectors_per_request = request.sectors;
  access.lines_per_request = request.lines;
  access.granules_per_request = request.granules;
  if (request.runs > 1) access.runs_per_request = request.runs;  // one goes on in the next warp
  access.efficiency = request.efficiency;
  access.buffer_bytes = static_cast<double>(stream.elements) * 4;
  return access;
}

// out[i] = in[stride * i]; `instructions` a thread beside the accesses.
inline KernelShape stream_kernel(const DeviceProfile& device, const Stream& stream,
                                 double instructions) {
  LaunchShape launch;
  launch.threads = stream.block;
  launch.blocks = stream.elements / (std::int64_t{stream.block} * stream.width * stream.items);
  launch.registers = 24;
  launch.static_shared = 0;
  launch.instructions_per_thread = instructions;
  launch.loads_in_flight = stream.items;
  launch.accesses = {stream_access(device, stream, stream.stride),
                     stream_access(device, stream, 1)};
  launch.accesses[0].name = "in";
  launch.accesses[1].name = "out";
  launch.accesses[1].store = true;
  return {.launches = {launch}, .useful_bytes = static_cast<double>(stream.elements) * 8};
}

// GB/s of useful traffic, read and written.
inline double stream_gbps(const DeviceProfile& device, const Stream& stream, double instructions) {
  return static_cast<double>(stream.elements) * 8 /
         estimate(device, stream_kernel(device, stream, instructions)).time_ns;
}

}  // namespace tuner::models
