// The table of experiments.
#include "tuner/pipeline/lab_parts.h"

namespace tuner {

std::vector<Experiment> lab_experiments(const models::DeviceProfile& device) {
  using namespace lab;
  return {coalescing(), coalescing_hidden(), alignment(),       rows_cols(),    block_sweep(),
          occupancy(),  smem_limit(),        bank_conflicts(),  bank_strides(), matmul(),
          reduction(),  register_limit(),    register_budget(), latency(),      waves(device),
          ilp(),        divergence(),        partial_warp(),    first_run()};
}

}  // namespace tuner
