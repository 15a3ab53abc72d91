// What a kernel, bound to a problem and a device, looks for among the tuned results.
#pragma once

#include <string>

#include "tuner/kernel/kernel.h"
#include "tuner/store/lookup.h"
#include "tuner/store/result.h"

namespace tuner {

ResultDevice result_device(const models::DeviceProfile& device, const std::string& driver);
NamedValues named_values(const Kernel& kernel, const search::Config& config);

// Hash of what the kernel's configurations are compiled from: source, own headers, options as
// described.
std::string kernel_hash(const KernelDescription& description);

// What to look for: the kernel's problem on its device, as the source is now. The kernel must
// outlive the query.
LookupQuery lookup_query(const Kernel& kernel, const std::string& cache);

}  // namespace tuner
