// The one place where the GPU is faked in tests.
#pragma once

#include <span>
#include <vector>

#include "tuner/measure/job.h"

namespace tuner {

class Measurer {
 public:
  virtual ~Measurer() = default;
  // Verifies, then times. Blocks; a crash or hang comes back as a status, and the next call works
  // again. Throws TunerError (ExitCode::ended_early) only where the device is lost for good.
  virtual MeasureResult measure(const MeasureJob& job) = 0;
  // In a fresh process; one result for each of `job.jobs`, in their order.
  virtual std::vector<MeasureResult> compare(const CompareJob& job) = 0;
  // Makes a running measure() return soon with status "crash" and reason "cancelled". From any
  // thread.
  virtual void cancel() = 0;
};

}  // namespace tuner
