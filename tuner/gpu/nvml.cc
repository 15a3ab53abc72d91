#include "tuner/gpu/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace tuner {
namespace {

// From NVML's API reference: nvmlReturn_t, nvmlClockType_t and nvmlTemperatureSensors_t are C
// enums.
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kTemperatureGpu = 0;
// nvmlClocksEventReason*: idle; hardware slowdown, software thermal, hardware thermal, power brake.
constexpr unsigned long long kIdle = 0x1;
constexpr unsigned long long kThrottleReasons = 0x8 | 0x20 | 0x40 | 0x80;

// nvmlMemory_t.
struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};

}  // namespace

struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_pci_bus_id)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*throttle_reasons)(void*, unsigned long long*) = nullptr;
  int (*memory)(void*, Memory*) = nullptr;
};

namespace {

template <typename Function>
void bind(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
}

}  // namespace

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id) {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto functions = std::make_unique<Functions>();
  bind(library, "nvmlInit_v2", functions->init);
  bind(library, "nvmlShutdown", functions->shutdown);
  bind(library, "nvmlSystemGetDriverVersion", functions->driver_version);
  bind(library, "nvmlDeviceGetHandleByPciBusId_v2", functions->device_by_pci_bus_id);
  bind(library, "nvmlDeviceGetClockInfo", functions->clock);
  bind(library, "nvmlDeviceGetPowerUsage", functions->power);
  bind(library, "nvmlDeviceGetTemperature", functions->temperature);
  bind(library, "nvmlDeviceGetCurrentClocksThrottleReasons", functions->throttle_reasons);
  bind(library, "nvmlDeviceGetMemoryInfo", functions->memory);
  if (functions->init == nullptr || functions->shutdown == nullptr ||
      functions->device_by_pci_bus_id == nullptr || functions->init() != kSuccess) {
    return nullptr;
  }
  // From here on the destructor shuts NVML down.
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(functions)));
  if (nvml->functions_->device_by_pci_bus_id(pci_bus_id.c_str(), &nvml->device_) != kSuccess) {
    return nullptr;
  }
  return nvml;
}

Nvml::~Nvml() { functions_->shutdown(); }

GpuState Nvml::state() const {
  GpuState state;
  unsigned value = 0;
  const Functions& call = *functions_;
  if (call.clock != nullptr && call.clock(device_, kClockSm, &value) == kSuccess) {
    state.clock_mhz = value;
  }
  if (call.power != nullptr && call.power(device_, &value) == kSuccess) {
    state.power_w = value * 1e-3;
  }
  if (call.temperature != nullptr &&
      call.temperature(device_, kTemperatureGpu, &value) == kSuccess) {
    state.temperature_c = value;
  }
  unsigned long long reasons = 0;
  if (call.throttle_reasons != nullptr && call.throttle_reasons(device_, &reasons) == kSuccess) {
    state.idle = (reasons & kIdle) != 0;
    state.throttled = (reasons & kThrottleReasons) != 0;
  }
  return state;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const auto call = functions_->driver_version;
  if (call == nullptr || call(text.data(), static_cast<unsigned>(text.size()) - 1) != kSuccess) {
    return {};
  }
  return text.data();
}

std::optional<std::int64_t> Nvml::free_bytes() const {
  Memory memory;
  if (functions_->memory == nullptr || functions_->memory(device_, &memory) != kSuccess) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(memory.free);
}

}  // namespace tuner
