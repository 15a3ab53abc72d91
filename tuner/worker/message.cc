#include "tuner/worker/message.h"

#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "expr/error.h"

namespace tuner {
namespace {

using models::DeviceProfile;

using Member =
    std::variant<std::string DeviceProfile::*, int DeviceProfile::*, std::int64_t DeviceProfile::*,
                 double DeviceProfile::*, bool DeviceProfile::*>;

// What device_profile() fills in. Not the profile's own JSON: that is checked against what is known
// of architectures, and a GPU may be newer.
const auto& members() {
  static const std::array<std::pair<const char*, Member>, 25> kMembers{{
      {"name", &DeviceProfile::name},
      {"id", &DeviceProfile::id},
      {"compute_capability", &DeviceProfile::compute_capability},
      {"sm_count", &DeviceProfile::sm_count},
      {"max_threads_per_block", &DeviceProfile::max_threads_per_block},
      {"max_threads_per_sm", &DeviceProfile::max_threads_per_sm},
      {"max_blocks_per_sm", &DeviceProfile::max_blocks_per_sm},
      {"registers_per_sm", &DeviceProfile::registers_per_sm},
      {"registers_per_block", &DeviceProfile::registers_per_block},
      {"shared_per_sm", &DeviceProfile::shared_per_sm},
      {"shared_per_block", &DeviceProfile::shared_per_block},
      {"shared_per_block_optin", &DeviceProfile::shared_per_block_optin},
      {"reserved_shared_per_block", &DeviceProfile::reserved_shared_per_block},
      {"l2_bytes", &DeviceProfile::l2_bytes},
      {"memory_bytes", &DeviceProfile::memory_bytes},
      {"max_grid_x", &DeviceProfile::max_grid_x},
      {"max_grid_y", &DeviceProfile::max_grid_y},
      {"max_grid_z", &DeviceProfile::max_grid_z},
      {"max_block_x", &DeviceProfile::max_block_x},
      {"max_block_y", &DeviceProfile::max_block_y},
      {"max_block_z", &DeviceProfile::max_block_z},
      {"max_cluster", &DeviceProfile::max_cluster},
      {"cooperative_launch", &DeviceProfile::cooperative_launch},
      {"core_clock_mhz", &DeviceProfile::core_clock_mhz},
      {"dram_peak_gbps", &DeviceProfile::dram_peak_gbps},
  }};
  return kMembers;
}

}  // namespace

std::string to_message(const nlohmann::json& object) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_msgpack(object);
  return {bytes.begin(), bytes.end()};
}

nlohmann::json from_message(std::string_view bytes) {
  nlohmann::json object = nlohmann::json::from_msgpack(bytes.begin(), bytes.end(), true, false);
  if (!object.is_object() || !object.contains("type") || !object.at("type").is_string()) {
    throw TunerError("A message of the measuring process cannot be understood.");
  }
  return object;
}

void to_json(nlohmann::json& json, const LiveDevice& device) {
  auto profile = nlohmann::json::object();
  for (const auto& [key, member] : members()) {
    std::visit([&](auto pointer) { profile[key] = device.profile.*pointer; }, member);
  }
  json = {{"index", device.index},
          {"profile", std::move(profile)},
          {"uuid", device.uuid},
          {"driver_version", device.driver_version},
          {"driver_cuda_version", device.driver_cuda_version},
          {"free_bytes", device.free_bytes}};
}

void from_json(const nlohmann::json& json, LiveDevice& device) {
  const nlohmann::json& profile = json.at("profile");
  for (const auto& [key, member] : members()) {
    std::visit([&](auto pointer) { profile.at(key).get_to(device.profile.*pointer); }, member);
  }
  json.at("index").get_to(device.index);
  json.at("uuid").get_to(device.uuid);
  json.at("driver_version").get_to(device.driver_version);
  json.at("driver_cuda_version").get_to(device.driver_cuda_version);
  json.at("free_bytes").get_to(device.free_bytes);
}

}  // namespace tuner
