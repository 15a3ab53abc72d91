#include "tuner/store/device_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

constexpr const char* kCalibrated = R"({"schema": "tuner.device", "version": 1,
  "name": "NVIDIA H200", "id": "h200", "rates_source": "calibrated",
  "limits": {"compute_capability": 90, "sm_count": 132},
  "rates": {"core_clock_mhz": 1975, "dram_peak_gbps": 4800, "dram_gbps": 4321},
  "calibration": {"date": "2026-11-30T09:00:00Z"}})";

const models::DeviceProfile& profile(const std::vector<models::DeviceProfile>& all,
                                     const std::string& id) {
  return *std::ranges::find(all, id, &models::DeviceProfile::id);
}

TEST(FindProfiles, TakesTheUsersBeforeTheShippedOne) {
  const TemporaryFolder users;
  users.write("devices/h200.json", kCalibrated);
  const std::filesystem::path shipped = data_folder() / "configs";
  const auto all = find_profiles({users.path(), shipped});
  EXPECT_EQ(all.size(), find_profiles({shipped}).size());
  EXPECT_DOUBLE_EQ(profile(all, "h200").dram_gbps, 4321);
  EXPECT_EQ(profile(all, "h200").rates_source, "calibrated");
  EXPECT_EQ(profile(all, "t4").name, "Tesla T4");
}

TEST(FindProfiles, PassesOverWhatCannotBeUsed) {
  const TemporaryFolder users;
  users.write("devices/h200.json", "{\"schema\": \"tuner.device\", \"version\": 7}");
  users.write("devices/notes.txt", "none");
  const auto all =
      find_profiles({users.path(), users / "no such folder", data_folder() / "configs"});
  EXPECT_EQ(profile(all, "h200").rates_source, "specification");
}

TEST(ProfileFile, IsNamedByTheDevice) {
  EXPECT_EQ(profile_file("/configs", "h200"), "/configs/devices/h200.json");
}

}  // namespace
}  // namespace tuner
