#include "tuner/worker/deadlines.h"

#include <algorithm>

#include "expr/error.h"
#include "tuner/measure/memory_need.h"

namespace tuner {
namespace {

// Values are made on a slow host at 0.1 GB/s, compared at 1 GB/s.
constexpr double kSetupMsPerByte = 1e-5;
constexpr double kCheckMsPerByte = 1e-6;
// Runs that may each take run_timeout_ms: the first, an estimate, a group of samples, the last.
constexpr double kRuns = 4;
// As often as the samples may exceed max_ms (see Sampler), twice.
constexpr double kSampling = 20;
// As the reference may (see Session).
constexpr double kReferenceFactor = 12;
constexpr double kReferenceLeastMs = 60000;
constexpr double kMostMs = 1e9;

// What cannot be set up is told by the process, not here.
double bytes_of(const MeasureSetup& setup) {
  try {
    return static_cast<double>(device_bytes_needed(setup));
  } catch (const TunerError&) {
    return 0;
  }
}

std::chrono::milliseconds bounded(double milliseconds, std::chrono::milliseconds slack) {
  return slack + std::chrono::milliseconds(
                     static_cast<std::int64_t>(std::clamp(milliseconds, 0.0, kMostMs)));
}

}  // namespace

std::chrono::milliseconds setup_deadline(const MeasureSetup& setup,
                                         std::chrono::milliseconds slack) {
  const double reference =
      setup.verification.reference_cubin.empty()
          ? 0
          : std::max(kReferenceFactor * setup.run_timeout_ms, kReferenceLeastMs);
  return bounded(reference + kSetupMsPerByte * bytes_of(setup), slack);
}

std::chrono::milliseconds measure_deadline(const MeasureSetup& setup,
                                           std::chrono::milliseconds slack) {
  return bounded(kRuns * setup.run_timeout_ms + kSampling * setup.sampling.max_ms +
                     kCheckMsPerByte * bytes_of(setup),
                 slack);
}

}  // namespace tuner
