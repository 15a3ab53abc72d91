// tuner info: what the tuner knows of the device, the compiler and its folders.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/compile/compiler.h"
#include "tuner/os/paths.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

struct FoundDevice {
  std::optional<models::DeviceProfile> profile;
  std::string problem;
};

// Without --device a machine that has no GPU still has a compiler and folders to tell of.
FoundDevice find_device(const DeviceOption& option) {
  try {
    return {option.resolve(), ""};
  } catch (const TunerError& error) {
    if (error.exit_code() != ExitCode::no_device || !option.text.empty()) throw;
    return {std::nullopt, error.what()};
  }
}

nlohmann::ordered_json profile_json(const models::DeviceProfile& profile) {
  nlohmann::json json;
  models::to_json(json, profile);
  return nlohmann::ordered_json(json);
}

nlohmann::ordered_json nvrtc_json(const NvrtcInfo& nvrtc) {
  return {{"found", nvrtc.found},
          {"version", nvrtc.version},
          {"library", nvrtc.library.string()},
          {"include_dir", nvrtc.include_dir.string()},
          {"architectures", nvrtc.architectures},
          {"problem", nvrtc.problem}};
}

nlohmann::ordered_json paths_json() {
  return {{"executable", self_executable().string()},
          {"data", data_folder().string()},
          {"cache", user_cache_folder().string()},
          {"user_data", user_data_folder().string()}};
}

// One line for each entry of an object of plain values.
void add_rows(Table& table, const nlohmann::ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value == "") continue;
    table.add({"  " + key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

std::string device_text(const FoundDevice& device, const nlohmann::ordered_json& json) {
  if (!device.profile) return "device: none (" + device.problem + ")\n";
  Table table({{""}, {""}});
  add_rows(table, json.at("limits"));
  add_rows(table, json.at("rates"));
  return fmt::format("device: {} ({}; rates: {})\n{}", device.profile->name, device.profile->id,
                     device.profile->rates_source, table.render());
}

ExitCode run(const DeviceOption& option, const Output& output) {
  const FoundDevice device = find_device(option);
  nlohmann::ordered_json json = {{"version", tool_version()}, {"device", nullptr}};
  if (device.profile) {
    json["device"] = profile_json(*device.profile);
  } else {
    json["device_problem"] = device.problem;
  }
  json["nvrtc"] = nvrtc_json(nvrtc_info());
  json["paths"] = paths_json();
  Table nvrtc({{""}, {""}});
  Table paths({{""}, {""}});
  add_rows(nvrtc, json["nvrtc"]);
  add_rows(paths, json["paths"]);
  output.text(fmt::format("tuner {}\n\n{}\nNVRTC\n{}\npaths\n{}", tool_version(),
                          device_text(device, json["device"]), nvrtc.render(), paths.render()));
  output.json(json);
  return ExitCode::ok;
}

}  // namespace

Action declare_info(CLI::App& app) {
  const auto device = std::make_shared<DeviceOption>();
  device->add_to(app);
  return [device](const Output& output) { return run(*device, output); };
}

}  // namespace tuner
