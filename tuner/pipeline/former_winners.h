// What earlier tunings found, as a place to begin a search.
#pragma once

#include <vector>

#include "tuner/kernel/kernel.h"
#include "tuner/store/result.h"

namespace tuner {

// The winners for the kernel's own problem (in either cache mode), then those for other sizes of
// it, the nearest first: at most `others` of these. Each once, and only what the kernel's space
// holds.
std::vector<search::Config> former_winners(const TunedResult& result, const Kernel& kernel,
                                           std::size_t others = 8);

}  // namespace tuner
