#include "tuner/runtime/gpu_context.h"

#include <algorithm>

#include "tuner/gpu/device.h"

namespace tuner::runtime {
namespace {

// The GPU of the current context.
CUdevice current_device(const Driver& driver) {
  CUdevice device = 0;
  driver.check(driver.context_get_device(&device), "cuCtxGetDevice");
  return device;
}

int index_of(const Driver& driver, CUdevice device) {
  const std::vector<CUdevice> all = devices(driver);
  return static_cast<int>(std::find(all.begin(), all.end(), device) - all.begin());
}

}  // namespace

GpuContext open_context(const Options& options) {
  GpuContext gpu;
  gpu.driver = load_driver();
  const Driver& driver = *gpu.driver;
  gpu.context = options.context;
  if (gpu.context == nullptr) {
    driver.check(driver.context_get_current(&gpu.context), "cuCtxGetCurrent");
  }
  if (gpu.context == nullptr) {
    gpu.primary = retain_context(driver, device_at(driver, options.device));
    driver.check(driver.context_get_current(&gpu.context), "cuCtxGetCurrent");
  }
  const CurrentContext current(gpu);
  const CUdevice device = current_device(driver);
  gpu.device = index_of(driver, device);
  gpu.profile = device_profile(driver, device);
  return gpu;
}

CurrentContext::CurrentContext(const GpuContext& gpu) : driver_(*gpu.driver) {
  CUcontext current = nullptr;
  driver_.check(driver_.context_get_current(&current), "cuCtxGetCurrent");
  if (current == gpu.context) return;
  driver_.check(driver_.context_push(gpu.context), "cuCtxPushCurrent");
  pushed_ = true;
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed_) static_cast<void>(driver_.context_pop(&popped));
}

}  // namespace tuner::runtime
