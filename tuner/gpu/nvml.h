// The management library, where it is there: clocks, power, temperature, throttling, free memory.
// Only read, never set. It is declared here by hand, since toolkits need not ship nvml.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tuner {

struct GpuState {
  double clock_mhz = 0;  // of the SMs; 0 where not told, as the others
  double power_w = 0;
  double temperature_c = 0;
  bool idle = false;  // nothing runs: the clock is what an idle GPU has
  bool throttled =
      false;  // by heat, a power brake or a hardware slowdown; not by the ordinary power cap
};

// One GPU as NVML sees it. Calls take some 10 us to 1 ms. One thread at a time.
class Nvml {
 public:
  // Null where there is no NVML, or it does not know the device.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  GpuState state() const;
  std::string driver_version() const;  // "580.159.04"; empty where not told
  std::optional<std::int64_t> free_bytes() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
  void* device_ = nullptr;
};

}  // namespace tuner
