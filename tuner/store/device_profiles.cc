#include "tuner/store/device_profiles.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "expr/error.h"

namespace tuner {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFolder = "devices";

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

fs::path profile_file(const fs::path& configs_folder, const std::string& id) {
  return configs_folder / kFolder / (id + ".json");
}

std::vector<models::DeviceProfile> find_profiles(const std::vector<fs::path>& configs_folders) {
  std::vector<models::DeviceProfile> profiles;
  for (const fs::path& folder : configs_folders) {
    const std::size_t earlier = profiles.size();
    for (const fs::path& file : json_files(folder / kFolder)) {
      try {
        models::DeviceProfile profile = models::load_device_profile(file);
        const auto end = profiles.begin() + static_cast<std::ptrdiff_t>(earlier);
        const auto same = std::find_if(profiles.begin(), end,
                                       [&](const auto& other) { return other.id == profile.id; });
        if (same == end) profiles.push_back(std::move(profile));
      } catch (const TunerError& error) {
        spdlog::warn("passed over: {}", error.what());
      }
    }
  }
  return profiles;
}

}  // namespace tuner
