// What a measuring process is told and what it answers: everything is evaluated already (numbers,
// no expressions but those of a check), so that the process needs the cubins and nothing else. All
// of these travel as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/kernel/plan.h"

namespace tuner {

struct Verification {
  std::string reference_cubin;  // empty: only `checks`
  std::vector<LaunchStep>
      reference;  // outputs go to reference_output arguments, in double (integers: i64)
  std::vector<ElementCheck> checks;
  double relative = 0, absolute = 0;  // |x - ref| <= absolute + relative * |ref|, NaN fails
  // Relative Frobenius error allowed over a whole output; 0: not asked.
  double frobenius = 0;
};

enum class CacheMode { cold, warm };

struct SamplingRule {
  int min_samples = 5;
  int max_samples = 50;
  double relative_error = 0.005;  // of the median (half width of its 95 % interval)
  double max_ms = 150;            // of GPU time a configuration
  double abandon_factor =
      1.5;  // give up where the first samples are this much slower than the incumbent
};

// Once for a problem.
struct MeasureSetup {
  int device = 0;
  std::vector<BufferSpec> buffers;
  Verification verification;
  CacheMode cache = CacheMode::cold;
  SamplingRule sampling;
  double run_timeout_ms = 10000;  // one run; a kernel that takes longer is a timeout
};

// Once for a configuration.
struct MeasureJob {
  std::string id;
  std::string cubin;
  std::vector<LaunchStep> steps;
  std::vector<WorkspaceSpec> workspaces;
  std::vector<SymbolSpec> symbols;
  double incumbent_ns = 0;  // 0: none yet
  bool may_abandon = true;
  bool full_check =
      false;  // every element is compared, however large an output is (see comparison.h)
};

struct MeasureResult {
  std::string id;
  std::string status = "ok";  // search::Status, spelled: ok launch_error crash timeout wrong
  std::string reason;
  double time_ns = 0;              // median
  double low_ns = 0, high_ns = 0;  // 95 % interval of the median
  double relative_spread = 0;      // (high - low) / (2 * median)
  double first_ns = 0;             // the first run of all, before anything was warm
  int samples = 0;
  int launches_per_sample = 1;
  std::vector<double> samples_ns;
  double max_error = 0;        // largest |x - ref| / (absolute + relative |ref|); <= 1 passes
  double frobenius_error = 0;  // relative, over the worst output
  bool verified = false;
  bool abandoned = false;
  bool throttled = false;                                // the clock fell while sampling
  double clock_mhz = 0, power_w = 0, temperature_c = 0;  // 0 where NVML is not there
  double gpu_ms = 0;  // GPU time spent on it, verification included
  // Wall time of its parts: first run and comparison, sampling, and the check after it.
  double verify_ms = 0, sampling_ms = 0, recheck_ms = 0;
};

// Finalists measured anew, their samples interleaved in shuffled order.
struct CompareJob {
  std::vector<MeasureJob> jobs;
  int rounds = 15;
  std::uint64_t seed = 0;
};

}  // namespace tuner
