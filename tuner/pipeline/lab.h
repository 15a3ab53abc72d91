// The classic experiments, each a list of configurations of described kernels.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/measurer.h"
#include "tuner/pipeline/counting.h"
#include "tuner/report/lab_report.h"
#include "tuner/worker/driver_occupancy.h"

namespace tuner {

struct LabCase {
  std::string label, kernel;
  std::vector<std::pair<std::string, std::string>> problem;  // axes, as typed
  std::vector<std::pair<std::string, Value>> config;         // parameters that are not the default
  std::int64_t ballast = 0;  // bytes of dynamic shared memory that nobody uses
  bool cold = true;
};

struct Experiment {
  std::string name, title, why;
  std::string unit;      // "GB/s" or "GFLOP/s"
  std::string baseline;  // a case's label; empty: none
  std::vector<LabCase> cases;
  bool suggests = false;  // tells the block size and grid that are suggested for the baseline
};

// For a device, since some depend on its number of SMs.
std::vector<Experiment> lab_experiments(const models::DeviceProfile& device);

// What an experiment runs with. Without `compiler` registers are unknown; without `measurer`
// nothing is measured, and without `occupancy` the driver is not asked. `measurer` makes one for a
// kernel and a cache mode.
struct LabBench {
  models::DeviceProfile device;
  Compiler* compiler = nullptr;
  std::function<std::unique_ptr<Measurer>(const Kernel&, CacheMode)> measurer;
  std::function<std::vector<DriverOccupancy>(std::span<const OccupancyQuery>)> occupancy;
  // Of a job that was measured; empty: not asked for.
  std::function<std::vector<Counters>(const Kernel&, CacheMode, const MeasureJob&)> counters = {};
};
LabReport run_experiment(const Experiment& experiment, const LabBench& bench);

}  // namespace tuner
