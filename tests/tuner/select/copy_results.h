// Results of the copy kernel on several GPUs, as tuning would have stored them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/device_profile.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/os/paths.h"
#include "tuner/select/query.h"
#include "tuner/store/result_store.h"

namespace tuner {

inline std::vector<models::DeviceProfile> shipped_profiles() {
  std::vector<models::DeviceProfile> profiles;
  for (const char* id : {"a100", "h100", "h200", "t4"}) {
    profiles.push_back(models::load_device_profile(data_folder() / "configs/devices" /
                                                   (std::string(id) + ".json")));
  }
  return profiles;
}

// In a folder of its own, empty at first.
class CopyResults {
 public:
  using Given = std::pair<std::string, std::string>;

  std::filesystem::path configs() const { return folder_.path() / "configs"; }

  Kernel copy_of(std::int64_t n, const models::DeviceProfile& device) const {
    return Kernel(description_,
                  resolve_problem(description_, std::vector<Given>{{"n", fmt::format("{}", n)}}),
                  device);
  }

  // The default configuration but for the block size, as the winner for n elements.
  TunedEntry tuned(std::int64_t n, const models::DeviceProfile& device, std::int64_t block,
                   const std::string& cache = "cold") const {
    const Kernel kernel = copy_of(n, device);
    TunedEntry entry;
    entry.problem = kernel.problem().axes;
    entry.cache = cache;
    entry.device = result_device(device, "580.65.06");
    entry.winner.config = named_values(kernel, kernel.space().default_config());
    for (auto& [name, value] : entry.winner.config) {
      if (name == "block") value = block;
    }
    entry.winner.time_ns = 1000;
    entry.source_hash = kernel_hash(description_);
    entry.date = "2026-01-01T00:00:00Z";
    entry.cuda = entry.nvrtc = "13.0";
    entry.tool = "0.1.0";
    return entry;
  }

  void store(const models::DeviceProfile& device, TunedEntry entry) const {
    ResultStore(configs()).save("copy", device.id, std::move(entry));
  }

  const KernelDescription description_ = find_kernel("copy");
  const std::vector<models::DeviceProfile> profiles_ = shipped_profiles();
  const models::DeviceProfile& a100_ = profiles_[0];
  const models::DeviceProfile& h100_ = profiles_[1];
  const models::DeviceProfile& h200_ = profiles_[2];
  const models::DeviceProfile& t4_ = profiles_[3];
  TemporaryFolder folder_;
};

}  // namespace tuner
