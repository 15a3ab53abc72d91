// What a kernel moves, as the model sees it.
#pragma once

#include "models/estimate.h"

namespace tuner {

// Of one run, in bytes. `estimate` is that of `shape` on `device`.
struct MovedBytes {
  double dram = 0;  // from and to DRAM; `useful_bytes` where no access is described
  double l2 = 0;    // between the SMs and L2; 0 where no access is described
};
MovedBytes moved_bytes(const models::DeviceProfile& device, const models::KernelShape& shape,
                       const models::Estimate& estimate);

}  // namespace tuner
