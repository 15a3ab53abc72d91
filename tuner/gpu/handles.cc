#include "tuner/gpu/handles.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tuner {
namespace {

// In a destructor, so that nothing may be thrown; at the end of a process the driver may be gone
// first.
void log_failure(const Driver& driver, CUresult code, const char* call) noexcept {
  if (code == CUDA_SUCCESS || code == CUDA_ERROR_DEINITIALIZED) return;
  try {
    spdlog::warn("{}: {}", call, driver.describe(code));
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

}  // namespace

void ReleasePrimaryContext::operator()(CUdevice device) const noexcept {
  log_failure(*driver, driver->primary_context_release(device), "cuDevicePrimaryCtxRelease");
}
void DestroyStream::operator()(CUstream stream) const noexcept {
  log_failure(*driver, driver->stream_destroy(stream), "cuStreamDestroy");
}
void DestroyEvent::operator()(CUevent event) const noexcept {
  log_failure(*driver, driver->event_destroy(event), "cuEventDestroy");
}
void UnloadModule::operator()(CUmodule module) const noexcept {
  log_failure(*driver, driver->module_unload(module), "cuModuleUnload");
}
void FreeDeviceMemory::operator()(CUdeviceptr pointer) const noexcept {
  log_failure(*driver, driver->mem_free(pointer), "cuMemFree");
}
void FreePinnedMemory::operator()(std::byte* pointer) const noexcept {
  log_failure(*driver, driver->mem_free_host(pointer), "cuMemFreeHost");
}

PrimaryContext retain_context(const Driver& driver, CUdevice device) {
  CUcontext context = nullptr;
  driver.check(driver.primary_context_retain(&context, device),
               "cuDevicePrimaryCtxRetain of device {}", device);
  PrimaryContext result(driver, device);
  driver.check(driver.context_set_current(context), "cuCtxSetCurrent on device {}", device);
  return result;
}

Stream make_stream(const Driver& driver) {
  CUstream stream = nullptr;
  driver.check(driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return {driver, stream};
}

Event make_event(const Driver& driver) {
  CUevent event = nullptr;
  driver.check(driver.event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return {driver, event};
}

Module load_module(const Driver& driver, const std::string& image, const std::string& name) {
  CUmodule module = nullptr;
  driver.check(driver.module_load_data(&module, image.data()), "cuModuleLoadData of {}", name);
  return {driver, module};
}

DeviceMemory allocate(const Driver& driver, std::size_t bytes, const std::string& name) {
  CUdeviceptr pointer = 0;
  // A size of zero is an error to the driver, and none to us.
  driver.check(driver.mem_alloc(&pointer, std::max<std::size_t>(bytes, 1)),
               "cuMemAlloc of {} bytes for {}", bytes, name);
  return {driver, pointer};
}

PinnedMemory allocate_pinned(const Driver& driver, std::size_t bytes) {
  void* pointer = nullptr;
  driver.check(driver.mem_host_alloc(&pointer, std::max<std::size_t>(bytes, 1), 0),
               "cuMemHostAlloc of {} bytes", bytes);
  return {driver, static_cast<std::byte*>(pointer)};
}

}  // namespace tuner
