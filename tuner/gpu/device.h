// What the driver says of a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/device_profile.h"
#include "tuner/gpu/driver.h"

namespace tuner {

// The GPUs that this process may use, in the driver's order (CUDA_VISIBLE_DEVICES applies).
std::vector<CUdevice> devices(const Driver& driver);
// Throws TunerError (ExitCode::no_device) where there is no such device, saying which there are.
CUdevice device_at(const Driver& driver, int index);

// Limits, and of the rates those that the driver knows: core_clock_mhz, and dram_peak_gbps from the
// memory clock and bus width (two transfers a clock). The other rates are left as they are by
// default.
models::DeviceProfile device_profile(const Driver& driver, CUdevice device);

// A file name for the GPU: "NVIDIA A100-SXM4-80GB" -> "a100", "NVIDIA GeForce RTX 3090" ->
// "rtx3090". Vendor, brand, memory and the SXM form factor go; what marks other silicon or clocks
// (Ti, Super, PCIe, NVL, Laptop, a MIG slice) stays.
std::string device_id(std::string_view name);

std::string device_uuid(const Driver& driver, CUdevice device);  // "GPU-8-4-4-4-12 hex digits"
std::string device_pci_bus_id(const Driver& driver, CUdevice device);  // "0000:1b:00.0"
int driver_cuda_version(const Driver& driver);                         // 13000

}  // namespace tuner
