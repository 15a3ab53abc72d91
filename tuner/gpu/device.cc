#include "tuner/gpu/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace tuner {
namespace {

int attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  driver.check(driver.device_get_attribute(&value, which, device),
               "cuDeviceGetAttribute {} of device {}", static_cast<int>(which), device);
  return value;
}

// For attributes that newer drivers may stop to answer.
int attribute_or_zero(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver.device_get_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

std::string device_name(const Driver& driver, CUdevice device) {
  std::array<char, 256> name{};
  driver.check(driver.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device),
               "cuDeviceGetName of device {}", device);
  return name.data();
}

void fill_sm_limits(const Driver& driver, CUdevice device, models::DeviceProfile& profile) {
  const auto get = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
  profile.sm_count = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  profile.max_threads_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  profile.max_blocks_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  profile.registers_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  profile.registers_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  profile.shared_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  profile.shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  profile.shared_per_block_optin = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  profile.reserved_shared_per_block = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
}

void fill_launch_limits(const Driver& driver, CUdevice device, models::DeviceProfile& profile) {
  const auto get = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
  profile.max_threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  profile.max_block_x = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  profile.max_block_y = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  profile.max_block_z = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  profile.max_grid_x = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  profile.max_grid_y = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  profile.max_grid_z = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  profile.cooperative_launch = get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  profile.max_cluster = profile.compute_capability >= 90 ? 8 : 1;  // the portable size
}

void fill_memory(const Driver& driver, CUdevice device, models::DeviceProfile& profile) {
  std::size_t bytes = 0;
  driver.check(driver.device_total_mem(&bytes, device), "cuDeviceTotalMem of device {}", device);
  profile.memory_bytes = static_cast<std::int64_t>(bytes);
  profile.l2_bytes = attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  const auto get = [&](CUdevice_attribute which) {
    return attribute_or_zero(driver, device, which);
  };
  profile.core_clock_mhz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e-3;
  const double memory_khz = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double bus_bytes = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
  profile.dram_peak_gbps = 2.0 * memory_khz * bus_bytes * 1e-6;
}

bool is_dropped(const std::string& word) {
  static const std::regex pattern(
      "nvidia|tesla|geforce|quadro|graphics|device|generation|gpu|sxm[0-9]*|[0-9]+gb|hbm[0-9]+e?");
  return std::regex_match(word, pattern);
}

}  // namespace

std::vector<CUdevice> devices(const Driver& driver) {
  int count = 0;
  driver.check(driver.device_get_count(&count), "cuDeviceGetCount");
  std::vector<CUdevice> result(static_cast<std::size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i) {
    driver.check(driver.device_get(&result[static_cast<std::size_t>(i)], i), "cuDeviceGet of {}",
                 i);
  }
  return result;
}

CUdevice device_at(const Driver& driver, int index) {
  const std::vector<CUdevice> all = devices(driver);
  if (index < 0 || index >= static_cast<int>(all.size())) {
    throw TunerError(
        fmt::format(
            "There is no GPU {}: the driver shows {}, counted from 0 (tuner info lists them).",
            index, all.size()),
        ExitCode::no_device);
  }
  return all[static_cast<std::size_t>(index)];
}

models::DeviceProfile device_profile(const Driver& driver, CUdevice device) {
  models::DeviceProfile profile;
  profile.name = device_name(driver, device);
  profile.id = device_id(profile.name);
  profile.compute_capability =
      attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
      attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  fill_sm_limits(driver, device, profile);
  fill_launch_limits(driver, device, profile);
  fill_memory(driver, device, profile);
  return profile;
}

std::string device_id(std::string_view name) {
  std::string id;
  std::string word;
  const auto end_word = [&] {
    if (!is_dropped(word)) id += word;
    word.clear();
  };
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else {
      end_word();
    }
  }
  end_word();
  return id.empty() ? "gpu" : id;
}

std::string device_uuid(const Driver& driver, CUdevice device) {
  CUuuid uuid{};
  driver.check(driver.device_get_uuid(&uuid, device), "cuDeviceGetUuid of device {}", device);
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string device_pci_bus_id(const Driver& driver, CUdevice device) {
  std::array<char, 64> text{};
  driver.check(driver.device_get_pci_bus_id(text.data(), static_cast<int>(text.size()) - 1, device),
               "cuDeviceGetPCIBusId of device {}", device);
  return text.data();
}

int driver_cuda_version(const Driver& driver) {
  int version = 0;
  driver.check(driver.driver_get_version(&version), "cuDriverGetVersion");
  return version;
}

}  // namespace tuner
