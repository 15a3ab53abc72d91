// Turns a verdict into the entry that is stored, with its provenance.
#pragma once

#include <optional>
#include <string>

#include "tuner/pipeline/tune.h"
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

// nullopt where there is no winner.
std::optional<TunedEntry> tuned_entry(const Kernel& kernel, const TuneOptions& options,
                                      const TuneOutcome& outcome, const std::string& driver);

}  // namespace tuner
