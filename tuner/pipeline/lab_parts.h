// The experiments, one function each, for the table of them. A new one is a function and a line in
// lab_experiments.cc.
#pragma once

#include "tuner/pipeline/lab.h"

namespace tuner::lab {

// Elements of the experiments that stream through memory.
inline constexpr const char* kElements = "2^26";

inline Value whole(std::int64_t value) { return value; }

// On how memory is reached.
Experiment coalescing();
Experiment coalescing_hidden();
Experiment alignment();
Experiment rows_cols();
Experiment bank_conflicts();
Experiment bank_strides();
Experiment latency();
Experiment first_run();

// On how many blocks and warps a SM holds, and what that is worth.
Experiment block_sweep();
Experiment occupancy();
Experiment smem_limit();
Experiment register_limit();
Experiment register_budget();
Experiment partial_warp();
Experiment waves(const models::DeviceProfile& device);

// On what a thread does with what it has.
Experiment matmul();
Experiment reduction();
Experiment ilp();
Experiment divergence();

}  // namespace tuner::lab
