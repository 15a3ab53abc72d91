// The measuring process of one GPU: its client side in the parent, and its main.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tuner/measure/measurer.h"

namespace tuner {

// Starts "tuner worker-process" on first use, restarts it after a crash, hang or sticky error. The
// process sets up its buffers and the reference outputs once a life.
std::unique_ptr<Measurer> make_worker(MeasureSetup setup);

struct LiveDevice {
  int index = 0;
  models::DeviceProfile profile;  // limits as the driver says; rates are not filled in (see models)
  std::string uuid;
  std::string driver_version;   // "580.159.04"; empty without NVML
  int driver_cuda_version = 0;  // 13000
  std::int64_t free_bytes = 0;
};
struct DeviceList {
  std::vector<LiveDevice> devices;
  std::string problem;  // why there are none: no driver, no GPU, …
};
// Asks a short-lived process, so that the parent never holds a context. Does not throw.
DeviceList list_devices();

// Main of a worker ("tuner worker-process"): serves the channel until it closes.
int run_worker_process();

}  // namespace tuner
