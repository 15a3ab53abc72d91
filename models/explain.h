// The estimate in words that teach: which pipe binds, why, and what would have to change. Pure.
#pragma once

#include "models/device_profile.h"
#include "models/estimate.h"

namespace tuner::models {

// Fills in `bound` and `words` from the rest of `result`. `described`: the kernel's model said what
// it does; otherwise the words say that only `work` was known.
void explain(const DeviceProfile& device, const KernelShape& kernel, bool described,
             Estimate& result);

}  // namespace tuner::models
