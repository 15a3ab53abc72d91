// The CUDA driver, loaded at run time by its exact soname and never linked, so that the executable
// starts where there is none.
#pragma once

#include <cuda.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "expr/error.h"

namespace tuner {

// A driver call that failed: what() says what was being done and what the driver said.
class DriverError : public TunerError {
 public:
  DriverError(CUresult code, const std::string& message, ExitCode exit_code = ExitCode::ended_early)
      : TunerError(message, exit_code), code_(code) {}
  CUresult code() const noexcept { return code_; }

 private:
  CUresult code_;
};

// True where nothing works in this process after such an error ("sticky": an illegal address, an
// assert, …). Whatever is not known to be harmless counts as such.
bool poisons_context(CUresult code);

// The driver's functions. The library stays loaded until the process ends. Immutable once loaded;
// any thread may call.
struct Driver {
  decltype(&::cuGetErrorName) get_error_name = nullptr;
  decltype(&::cuGetErrorString) get_error_string = nullptr;
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) driver_get_version = nullptr;

  decltype(&::cuDeviceGetCount) device_get_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_get_name = nullptr;
  decltype(&::cuDeviceGetUuid_v2) device_get_uuid = nullptr;
  decltype(&::cuDeviceTotalMem_v2) device_total_mem = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&::cuDeviceGetPCIBusId) device_get_pci_bus_id = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) primary_context_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease_v2) primary_context_release = nullptr;
  decltype(&::cuCtxSetCurrent) context_set_current = nullptr;
  decltype(&::cuCtxGetCurrent) context_get_current = nullptr;
  decltype(&::cuCtxGetDevice) context_get_device = nullptr;
  decltype(&::cuCtxPushCurrent_v2) context_push = nullptr;
  decltype(&::cuCtxPopCurrent_v2) context_pop = nullptr;

  decltype(&::cuMemGetInfo_v2) mem_get_info = nullptr;
  decltype(&::cuMemAlloc_v2) mem_alloc = nullptr;
  decltype(&::cuMemFree_v2) mem_free = nullptr;
  decltype(&::cuMemHostAlloc) mem_host_alloc = nullptr;
  decltype(&::cuMemFreeHost) mem_free_host = nullptr;
  decltype(&::cuMemcpyHtoDAsync_v2) memcpy_to_device = nullptr;
  decltype(&::cuMemcpyDtoHAsync_v2) memcpy_to_host = nullptr;
  decltype(&::cuMemcpyDtoDAsync_v2) memcpy_on_device = nullptr;
  decltype(&::cuMemsetD8Async) memset_bytes = nullptr;

  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy_v2) stream_destroy = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventDestroy_v2) event_destroy = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventQuery) event_query = nullptr;
  decltype(&::cuEventElapsedTime) event_elapsed_time = nullptr;

  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuModuleGetGlobal_v2) module_get_global = nullptr;
  decltype(&::cuFuncGetAttribute) func_get_attribute = nullptr;
  decltype(&::cuFuncSetAttribute) func_set_attribute = nullptr;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_blocks = nullptr;
  decltype(&::cuOccupancyMaxPotentialBlockSize) occupancy_block_size = nullptr;
  decltype(&::cuLaunchKernelEx) launch_kernel = nullptr;
  decltype(&::cuTensorMapEncodeTiled) tensor_map_encode_tiled = nullptr;  // null before CUDA 12.0

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string describe(CUresult code) const;
  [[noreturn]] void fail(CUresult code, const std::string& doing) const;

  // Throws DriverError where a call failed. `doing` names the call and what it was for:
  // "cuMemAlloc of {} bytes".
  template <typename... Args>
  void check(CUresult code, fmt::format_string<Args...> doing, Args&&... args) const {
    if (code != CUDA_SUCCESS) fail(code, fmt::format(doing, std::forward<Args>(args)...));
  }
};

// Loads libcuda.so.1 and initialises it. Throws TunerError (ExitCode::no_device) saying why it
// cannot: no driver, too old a driver, no GPU, ….
std::shared_ptr<const Driver> load_driver();

}  // namespace tuner
