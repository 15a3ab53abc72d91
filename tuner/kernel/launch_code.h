// Kernel::code(), on a bound kernel.
#pragma once

#include <span>

#include "tuner/kernel/bound_kernel.h"
#include "tuner/kernel/code.h"

namespace tuner {

ConfigCode launch_code(const BoundKernel& kernel, const search::Space& space,
                       const search::Config& config, std::span<const CompiledEntry> compiled);

}  // namespace tuner
