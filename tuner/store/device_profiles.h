// The device profiles of configs folders: <folder>/devices/<id>.json.
#pragma once

#include <filesystem>
#include <vector>

#include "models/device_profile.h"

namespace tuner {

std::filesystem::path profile_file(const std::filesystem::path& configs_folder,
                                   const std::string& id);

// Those of all folders, by file name within each; one of an id that an earlier folder has is left
// out, so that what was calibrated here comes before what was shipped. A folder without any is
// passed over. A file that cannot be used is warned of and passed over.
std::vector<models::DeviceProfile> find_profiles(
    const std::vector<std::filesystem::path>& configs_folders);

}  // namespace tuner
