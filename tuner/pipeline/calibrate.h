// What `tuner calibrate` measures: micro-kernels of kernels_src/calibrate, each timed as any
// configuration is. What the times mean is models/calibration.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/calibration.h"
#include "models/device_profile.h"
#include "tuner/compile/compiler.h"
#include "tuner/measure/measurer.h"

namespace tuner {

// One launch that is to be timed.
struct ProbeLaunch {
  models::ProbePoint point;  // without its time
  std::string source;        // file of kernels_src/calibrate
  std::string entry;         // name expression
  LaunchStep step;           // without the lowered name
  std::vector<WorkspaceSpec> workspaces;
  bool walks_chain = false;  // reads the buffers of `chains`
};

struct CalibrationPlan {
  std::vector<BufferSpec> chains;  // permutations, for chains of dependent loads
  std::vector<ProbeLaunch> launches;
};

// Sizes follow the device's SMs, caches and memory (of which a quarter is used at most), so that a
// launch takes some 50 to 1000 us.
CalibrationPlan calibration_plan(const models::DeviceProfile& device);

// What the plan's kernels are compiled from, a job for each source.
std::vector<CompileJob> calibration_compile_jobs(const CalibrationPlan& plan, int architecture);

struct CalibrationBench {
  Compiler& compiler;
  // Makes the process that measures with such a setup (the device is the caller's to set).
  std::function<std::unique_ptr<Measurer>(MeasureSetup)> measurer;
  // Asked before each launch; throws where the run is to end. May be empty.
  std::function<void(std::size_t done, std::size_t of)> progress;
};

struct ProbeTimes {
  std::vector<models::ProbePoint> points;
  std::vector<std::string> failures;  // of what could not be measured, with the reason
  bool throttled = false;             // the clock fell while some were measured
};

// Launches whose blocks would not all be resident at once, with the registers that they have come
// to, are left out. Throws TunerError where a kernel does not compile or the device is lost.
ProbeTimes run_probes(const CalibrationPlan& plan, const models::DeviceProfile& device,
                      const CalibrationBench& bench);

}  // namespace tuner
