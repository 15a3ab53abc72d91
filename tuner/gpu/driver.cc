#include "tuner/gpu/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tuner {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

void* open_driver() {
  void* handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* problem = ::dlerror();
  throw TunerError(
      fmt::format("No NVIDIA driver was found: {} cannot be loaded ({}). Install the driver of the "
                  "GPU; on a machine without one, choose a profile with --device.",
                  kLibrary, problem != nullptr ? problem : "unknown reason"),
      ExitCode::no_device);
}

template <typename Function>
void bind_optional(void* handle, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, symbol));
}

template <typename Function>
void bind(void* handle, const char* symbol, Function& function) {
  bind_optional(handle, symbol, function);
  if (function != nullptr) return;
  throw TunerError(fmt::format("The NVIDIA driver lacks {}; one for CUDA 12.0 or later is needed "
                               "(driver 525 or later).",
                               symbol),
                   ExitCode::no_device);
}

void bind_devices(void* handle, Driver& driver) {
  bind(handle, "cuGetErrorName", driver.get_error_name);
  bind(handle, "cuGetErrorString", driver.get_error_string);
  bind(handle, "cuInit", driver.init);
  bind(handle, "cuDriverGetVersion", driver.driver_get_version);
  bind(handle, "cuDeviceGetCount", driver.device_get_count);
  bind(handle, "cuDeviceGet", driver.device_get);
  bind(handle, "cuDeviceGetName", driver.device_get_name);
  bind(handle, "cuDeviceGetUuid_v2", driver.device_get_uuid);
  bind(handle, "cuDeviceTotalMem_v2", driver.device_total_mem);
  bind(handle, "cuDeviceGetAttribute", driver.device_get_attribute);
  bind(handle, "cuDeviceGetPCIBusId", driver.device_get_pci_bus_id);
  bind(handle, "cuDevicePrimaryCtxRetain", driver.primary_context_retain);
  bind(handle, "cuDevicePrimaryCtxRelease_v2", driver.primary_context_release);
  bind(handle, "cuCtxSetCurrent", driver.context_set_current);
  bind(handle, "cuCtxGetCurrent", driver.context_get_current);
  bind(handle, "cuCtxGetDevice", driver.context_get_device);
  bind(handle, "cuCtxPushCurrent_v2", driver.context_push);
  bind(handle, "cuCtxPopCurrent_v2", driver.context_pop);
}

void bind_memory(void* handle, Driver& driver) {
  bind(handle, "cuMemGetInfo_v2", driver.mem_get_info);
  bind(handle, "cuMemAlloc_v2", driver.mem_alloc);
  bind(handle, "cuMemFree_v2", driver.mem_free);
  bind(handle, "cuMemHostAlloc", driver.mem_host_alloc);
  bind(handle, "cuMemFreeHost", driver.mem_free_host);
  bind(handle, "cuMemcpyHtoDAsync_v2", driver.memcpy_to_device);
  bind(handle, "cuMemcpyDtoHAsync_v2", driver.memcpy_to_host);
  bind(handle, "cuMemcpyDtoDAsync_v2", driver.memcpy_on_device);
  bind(handle, "cuMemsetD8Async", driver.memset_bytes);
}

void bind_execution(void* handle, Driver& driver) {
  bind(handle, "cuStreamCreate", driver.stream_create);
  bind(handle, "cuStreamDestroy_v2", driver.stream_destroy);
  bind(handle, "cuStreamSynchronize", driver.stream_synchronize);
  bind(handle, "cuEventCreate", driver.event_create);
  bind(handle, "cuEventDestroy_v2", driver.event_destroy);
  bind(handle, "cuEventRecord", driver.event_record);
  bind(handle, "cuEventQuery", driver.event_query);
  // Not _v2, which drivers before 12.8 lack; both take the same arguments.
  bind(handle, "cuEventElapsedTime", driver.event_elapsed_time);
  bind(handle, "cuModuleLoadData", driver.module_load_data);
  bind(handle, "cuModuleUnload", driver.module_unload);
  bind(handle, "cuModuleGetFunction", driver.module_get_function);
  bind(handle, "cuModuleGetGlobal_v2", driver.module_get_global);
  bind(handle, "cuFuncGetAttribute", driver.func_get_attribute);
  bind(handle, "cuFuncSetAttribute", driver.func_set_attribute);
  bind(handle, "cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.occupancy_blocks);
  bind(handle, "cuOccupancyMaxPotentialBlockSize", driver.occupancy_block_size);
  bind(handle, "cuLaunchKernelEx", driver.launch_kernel);
  bind_optional(handle, "cuTensorMapEncodeTiled", driver.tensor_map_encode_tiled);
}

std::string_view or_unknown(const char* text) { return text != nullptr ? text : "unknown"; }

}  // namespace

bool poisons_context(CUresult code) {
  // What the driver refuses before anything runs.
  static constexpr std::array kHarmless{CUDA_SUCCESS,
                                        CUDA_ERROR_INVALID_VALUE,
                                        CUDA_ERROR_OUT_OF_MEMORY,
                                        CUDA_ERROR_INVALID_IMAGE,
                                        CUDA_ERROR_NO_BINARY_FOR_GPU,
                                        CUDA_ERROR_INVALID_PTX,
                                        CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                                        CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                        CUDA_ERROR_JIT_COMPILATION_DISABLED,
                                        CUDA_ERROR_INVALID_SOURCE,
                                        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                                        CUDA_ERROR_INVALID_HANDLE,
                                        CUDA_ERROR_NOT_FOUND,
                                        CUDA_ERROR_NOT_READY,
                                        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                                        CUDA_ERROR_NOT_PERMITTED,
                                        CUDA_ERROR_NOT_SUPPORTED,
                                        CUDA_ERROR_INVALID_CLUSTER_SIZE};
  return std::find(kHarmless.begin(), kHarmless.end(), code) == kHarmless.end();
}

std::string Driver::describe(CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (get_error_name(code, &name) != CUDA_SUCCESS) name = nullptr;
  if (get_error_string(code, &text) != CUDA_SUCCESS) text = nullptr;
  if (name == nullptr) return fmt::format("CUDA error {}", static_cast<int>(code));
  return fmt::format("{} ({})", name, or_unknown(text));
}

void Driver::fail(CUresult code, const std::string& doing) const {
  throw DriverError(code, fmt::format("{}: {}", doing, describe(code)));
}

std::shared_ptr<const Driver> load_driver() {
  void* handle = open_driver();
  auto driver = std::make_shared<Driver>();
  bind_devices(handle, *driver);
  bind_memory(handle, *driver);
  bind_execution(handle, *driver);
  const CUresult result = driver->init(0);
  if (result == CUDA_ERROR_NO_DEVICE) {
    throw TunerError("The NVIDIA driver finds no GPU (is CUDA_VISIBLE_DEVICES hiding it?).",
                     ExitCode::no_device);
  }
  if (result != CUDA_SUCCESS) {
    throw TunerError(
        fmt::format("The NVIDIA driver cannot start: cuInit: {}. nvidia-smi may say why.",
                    driver->describe(result)),
        ExitCode::no_device);
  }
  return driver;
}

}  // namespace tuner
