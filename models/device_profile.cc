#include "models/device_profile.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>

#include "expr/error.h"
#include "models/architecture.h"

namespace tuner::models {
namespace {

using nlohmann::json;

using Member = std::variant<int DeviceProfile::*, std::int64_t DeviceProfile::*,
                            double DeviceProfile::*, bool DeviceProfile::*>;

struct Field {
  const char* key;
  Member member;
  double least = 0;  // the least value that makes sense
};

constexpr std::array kLimits = {
    Field{"compute_capability", &DeviceProfile::compute_capability, 10},
    Field{"sm_count", &DeviceProfile::sm_count, 1},
    Field{"max_threads_per_block", &DeviceProfile::max_threads_per_block, 32},
    Field{"max_threads_per_sm", &DeviceProfile::max_threads_per_sm, 32},
    Field{"max_blocks_per_sm", &DeviceProfile::max_blocks_per_sm, 1},
    Field{"max_registers_per_thread", &DeviceProfile::max_registers_per_thread, 1},
    Field{"registers_per_sm", &DeviceProfile::registers_per_sm, 1},
    Field{"registers_per_block", &DeviceProfile::registers_per_block, 1},
    Field{"shared_per_sm", &DeviceProfile::shared_per_sm, 1},
    Field{"shared_per_block", &DeviceProfile::shared_per_block, 1},
    Field{"shared_per_block_optin", &DeviceProfile::shared_per_block_optin, 1},
    Field{"reserved_shared_per_block", &DeviceProfile::reserved_shared_per_block, 0},
    Field{"l2_bytes", &DeviceProfile::l2_bytes, 0},
    Field{"memory_bytes", &DeviceProfile::memory_bytes, 0},
    Field{"max_grid_x", &DeviceProfile::max_grid_x, 1},
    Field{"max_grid_y", &DeviceProfile::max_grid_y, 1},
    Field{"max_grid_z", &DeviceProfile::max_grid_z, 1},
    Field{"max_block_x", &DeviceProfile::max_block_x, 1},
    Field{"max_block_y", &DeviceProfile::max_block_y, 1},
    Field{"max_block_z", &DeviceProfile::max_block_z, 1},
    Field{"max_cluster", &DeviceProfile::max_cluster, 1},
    Field{"cooperative_launch", &DeviceProfile::cooperative_launch, 0},
};

constexpr std::array kRates = {
    Field{"core_clock_mhz", &DeviceProfile::core_clock_mhz, 1},
    Field{"fp32_lanes_per_sm", &DeviceProfile::fp32_lanes_per_sm, 1},
    Field{"fp64_lanes_per_sm", &DeviceProfile::fp64_lanes_per_sm, 0.125},
    Field{"issue_per_clock", &DeviceProfile::issue_per_clock, 0.125},
    Field{"fma_latency_cycles", &DeviceProfile::fma_latency_cycles, 1},
    Field{"fma_port_slowdown", &DeviceProfile::fma_port_slowdown, 1},
    Field{"fma_port_free_chains", &DeviceProfile::fma_port_free_chains, 1},
    Field{"dram_peak_gbps", &DeviceProfile::dram_peak_gbps, 0.125},
    Field{"dram_gbps", &DeviceProfile::dram_gbps, 0},
    Field{"dram_read_gbps", &DeviceProfile::dram_read_gbps, 0},
    Field{"dram_granule", &DeviceProfile::dram_granule, 32},
    Field{"dram_latency_ns", &DeviceProfile::dram_latency_ns, 0},
    Field{"latency_norm", &DeviceProfile::latency_norm, 1},
    Field{"l2_gbps", &DeviceProfile::l2_gbps, 0},
    Field{"l2_latency_ns", &DeviceProfile::l2_latency_ns, 0},
    Field{"launch_us", &DeviceProfile::launch_us, 0},
    Field{"exchange_us", &DeviceProfile::exchange_us, 0},
    Field{"atomic_ns", &DeviceProfile::atomic_ns, 0},
    Field{"blocks_per_us", &DeviceProfile::blocks_per_us, 0},
    Field{"block_drain", &DeviceProfile::block_drain, 0},
    Field{"barrier_cycles", &DeviceProfile::barrier_cycles, 0},
    Field{"shared_bytes_per_clock", &DeviceProfile::shared_bytes_per_clock, 1},
    Field{"shared_latency_cycles", &DeviceProfile::shared_latency_cycles, 1},
    Field{"l1_lines_per_clock", &DeviceProfile::l1_lines_per_clock, 0.125},
};

// One JSON document, with what an error needs to name.
class Reader {
 public:
  Reader(const json& document, const std::string& origin) : document_(document), origin_(origin) {}

  [[noreturn]] void fail(const std::string& pointer, const json& value,
                         const std::string& expected) const {
    throw TunerError(fmt::format("{}: {}: {} found, {} expected", origin_,
                                 pointer.empty() ? "/" : pointer, value.dump(), expected));
  }

  const json* find(const std::string& pointer) const {
    const json::json_pointer where(pointer);
    return document_.contains(where) ? &document_.at(where) : nullptr;
  }

  const json& require(const std::string& pointer, const char* expected) const {
    const json* value = find(pointer);
    if (value == nullptr) fail(pointer, json("nothing"), expected);
    return *value;
  }

  std::string text(const std::string& pointer, const std::string& otherwise) const {
    const json* value = find(pointer);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) fail(pointer, *value, "a text");
    return value->get<std::string>();
  }

  void object(const std::string& pointer) const {
    const json& value = require(pointer, "an object");
    if (!value.is_object()) fail(pointer, value, "an object");
  }

  void field(const std::string& group, const Field& field, DeviceProfile& profile) const {
    const std::string pointer = fmt::format("{}/{}", group, field.key);
    const json* value = find(pointer);
    if (value == nullptr) return;
    std::visit([&](auto member) { read(pointer, *value, field.least, profile.*member); },
               field.member);
  }

 private:
  void read(const std::string& pointer, const json& value, double /*least*/, bool& target) const {
    if (!value.is_boolean()) fail(pointer, value, "true or false");
    target = value.get<bool>();
  }

  void read(const std::string& pointer, const json& value, double least, double& target) const {
    const std::string expected = fmt::format("a number of at least {}", least);
    if (!value.is_number()) fail(pointer, value, expected);
    target = value.get<double>();
    if (!(target >= least)) fail(pointer, value, expected);
  }

  template <typename Integer>
  void read(const std::string& pointer, const json& value, double least, Integer& target) const {
    constexpr double kMost = static_cast<double>(std::numeric_limits<Integer>::max());
    if (!value.is_number_integer() || !(value.get<double>() >= least) ||
        !(value.get<double>() <= kMost)) {
      fail(pointer, value, fmt::format("an integer from {} to {}", least, kMost));
    }
    target = value.get<Integer>();
  }

  const json& document_;
  const std::string& origin_;
};

void check_schema(const Reader& reader) {
  reader.object("");
  const json& schema = reader.require("/schema", "\"tuner.device\"");
  if (schema != "tuner.device") reader.fail("/schema", schema, "\"tuner.device\"");
  const json& version = reader.require("/version", "1");
  if (version != 1) reader.fail("/version", version, "1 (a newer tuner may have written this)");
}

json write_fields(std::span<const Field> fields, const DeviceProfile& profile) {
  json group = json::object();
  for (const Field& field : fields) {
    std::visit([&](auto member) { group[field.key] = profile.*member; }, field.member);
  }
  return group;
}

void check_required(const Reader& reader) {
  check_schema(reader);
  reader.require("/name", "the name that the driver gives the device");
  reader.object("/limits");
  reader.object("/rates");
  reader.require("/limits/compute_capability", "major * 10 + minor, such as 90");
  reader.require("/limits/sm_count", "the number of multiprocessors");
  reader.require("/rates/core_clock_mhz", "the boost clock in MHz");
  reader.require("/rates/dram_peak_gbps", "the memory's bandwidth in GB/s");
}

}  // namespace

void to_json(json& json, const DeviceProfile& profile) {
  json = {{"schema", "tuner.device"},
          {"version", 1},
          {"name", profile.name},
          {"id", profile.id},
          {"rates_source", profile.rates_source},
          {"sources", profile.sources},
          {"limits", write_fields(kLimits, profile)},
          {"rates", write_fields(kRates, profile)}};
}

DeviceProfile parse_device_profile(const json& json, const std::string& origin) {
  const Reader reader(json, origin);
  check_required(reader);
  DeviceProfile profile;
  reader.field("/limits", kLimits.front(), profile);
  try {
    apply_architecture_limits(profile, profile.compute_capability);
  } catch (const TunerError& error) {
    throw TunerError(fmt::format("{}: /limits/compute_capability: {}", origin, error.what()));
  }
  profile.name = reader.text("/name", "");
  profile.id = reader.text("/id", "");
  profile.rates_source = reader.text("/rates_source", "specification");
  profile.sources = reader.text("/sources", "");
  for (const Field& field : kLimits) reader.field("/limits", field, profile);
  for (const Field& field : kRates) reader.field("/rates", field, profile);
  complete_rates(profile);
  return profile;
}

DeviceProfile load_device_profile(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw TunerError(fmt::format("{}: this device profile cannot be read", path.string()));
  }
  json document;
  try {
    document = json::parse(file);
  } catch (const json::exception& error) {
    throw TunerError(fmt::format("{}: not valid JSON: {}", path.string(), error.what()));
  }
  DeviceProfile profile = parse_device_profile(document, path.string());
  if (profile.id.empty()) profile.id = path.stem().string();
  return profile;
}

}  // namespace tuner::models
