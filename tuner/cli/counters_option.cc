#include "tuner/cli/counters_option.h"

#include "expr/error.h"

namespace tuner {

void add_counters_flag(CLI::App& app, bool& counters) {
  app.add_flag(
      "--counters", counters,
      "also what the hardware counts (sectors, bytes, hit rates, occupancy, bank conflicts), "
      "by Nsight Compute's ncu; needs a GPU");
}

ReadCounters counters_if(bool asked, const ChosenDevice& device, bool by_access) {
  if (!asked) return {};
  if (device.gpus.empty()) {
    throw TunerError("--counters asks a GPU, and a profile has none to ask: leave --device out",
                     ExitCode::no_device);
  }
  return ncu_reader(find_ncu(), by_access);
}

}  // namespace tuner
