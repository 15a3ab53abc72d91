// CLBlast's GEMM (Cedric Nugteren, "CLBlast: A Tuned OpenCL BLAS Library", IWOCL 2018) as launch
// shapes: what one configuration of the public tuning data does.
#pragma once

#include <map>
#include <string>

#include "models/estimate.h"

namespace tuner::models {

using GemmParameters = std::map<std::string, int>;

// C = A^T * B, all n x n floats. Registers are those that the tiles need, within the launch bounds
// that the kernel is compiled with; what exceeds them spills.
KernelShape clblast_gemm(const DeviceProfile& device, const GemmParameters& parameters, int n);

}  // namespace tuner::models
