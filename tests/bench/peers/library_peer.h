// The vendor's libraries, on the buffers of a tuned kernel.
#pragma once

#include <memory>
#include <string>

#include "tests/bench/peers/tuned_kernel.h"

namespace tuner::bench {

// `name`: "cub" (reduction, by its `op`), "memcpy" (copy), "cublas" (matmul; pedantic fp32 or
// fp64). The tuned kernel and `gpu` must outlive it. Throws TunerError for another name, and where
// the library refuses.
std::unique_ptr<Contender> make_library_peer(const std::string& name, const Gpu& gpu,
                                             TunedKernel& tuned);

}  // namespace tuner::bench
