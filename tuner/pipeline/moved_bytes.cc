#include "tuner/pipeline/moved_bytes.h"

#include "models/pipes.h"

namespace tuner {

MovedBytes moved_bytes(const models::DeviceProfile& device, const models::KernelShape& shape,
                       const models::Estimate& estimate) {
  MovedBytes moved;
  for (std::size_t i = 0; i < shape.launches.size() && i < estimate.occupancy.size(); ++i) {
    const models::LaunchShape& launch = shape.launches[i];
    const double warps = (launch.threads + 31) / 32;
    const models::LaunchLoad load{
        .device = device,
        .shape = launch,
        .warps_per_block = warps,
        .warps = warps * static_cast<double>(launch.blocks),
        .resident_blocks = static_cast<double>(estimate.occupancy[i].blocks_per_sm),
        .spill_bytes = launch.spill_bytes,
        .cold = shape.cold};
    const models::DramBytes dram = models::dram_bytes(load);
    moved.dram += dram.read + dram.written + launch.memset_bytes;
    moved.l2 += models::l2_bytes(load);
  }
  if (!(moved.dram > 0)) moved.dram = shape.useful_bytes;
  return moved;
}

}  // namespace tuner
