// models/occupancy against what drivers answered: fixtures that occupancy_driver wrote on a GPU.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "models/device_profile.h"
#include "models/occupancy.h"
#include "tests/models/known_devices.h"
#include "tuner/os/files.h"

namespace tuner::models {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> fixtures() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(TUNER_OCCUPANCY_FIXTURES, error)) {
    if (entry.path().extension() == ".gz") files.push_back(entry.path());
  }
  return files;
}

// The device as the driver described it, and as the tool ships it.
std::vector<DeviceProfile> profiles_of(const nlohmann::json& fixture) {
  std::vector<DeviceProfile> profiles = {parse_device_profile(fixture.at("device"), "fixture")};
  for (DeviceProfile& known : known_devices()) {
    if (known.name == profiles.front().name) profiles.push_back(std::move(known));
  }
  return profiles;
}

// How many answers there are; each is compared.
std::size_t compare_all(const nlohmann::json& fixture, const DeviceProfile& device) {
  const auto threads = fixture.at("threads").get<std::vector<int>>();
  const auto dynamic = fixture.at("dynamic_shared").get<std::vector<std::int64_t>>();
  std::size_t count = 0, wrong = 0;
  for (const nlohmann::json& kernel : fixture.at("kernels")) {
    const auto blocks = kernel.at("blocks").get<std::vector<int>>();
    if (blocks.size() != threads.size() * dynamic.size()) ADD_FAILURE() << "blocks are missing";
    for (std::size_t i = 0; i < blocks.size(); ++i, ++count) {
      const BlockResources block{.threads = threads[i / dynamic.size()],
                                 .registers_per_thread = kernel.at("registers"),
                                 .static_shared = kernel.at("static_shared"),
                                 .dynamic_shared = dynamic[i % dynamic.size()]};
      const int found = occupancy(device, block).blocks_per_sm;
      // The driver refuses with an error, or says that none is resident.
      if (found == std::max(blocks[i], 0) || ++wrong > 20) continue;
      ADD_FAILURE() << block.threads << " threads of " << block.registers_per_thread
                    << " registers, " << block.static_shared << " B static, "
                    << block.dynamic_shared << " B dynamic: " << found << " found, " << blocks[i]
                    << " by the driver";
    }
  }
  EXPECT_EQ(wrong, 0U);
  return count;
}

TEST(OccupancyFixture, IsWhatTheDriverSays) {
  const std::vector<fs::path> files = fixtures();
  if (files.empty()) {
    GTEST_SKIP() << "no fixture in " << TUNER_OCCUPANCY_FIXTURES
                 << "; occupancy_driver writes one on a GPU";
  }
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const nlohmann::json fixture = nlohmann::json::parse(read_gzip_or_plain(file));
    std::set<int> registers;
    for (const auto& kernel : fixture.at("kernels"))
      registers.insert(kernel.at("registers").get<int>());
    EXPECT_LE(*registers.begin(), 24);
    EXPECT_GE(*registers.rbegin(), 250);
    EXPECT_GE(registers.size(), 20U);
    for (const DeviceProfile& device : profiles_of(fixture)) {
      EXPECT_GE(compare_all(fixture, device), 20000U) << device.rates_source;
    }
  }
}

}  // namespace
}  // namespace tuner::models
