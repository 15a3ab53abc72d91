#include "tuner/cli/value_json.h"

#include <variant>

namespace tuner {

nlohmann::ordered_json value_json(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

nlohmann::ordered_json problem_json(const Problem& problem) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : problem.axes) json[name] = value_json(value);
  return json;
}

nlohmann::ordered_json config_json(const search::Space& space, const search::Config& config) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    json[space.parameters()[i].name] = value_json(space.value(config, i));
  }
  return json;
}

nlohmann::ordered_json device_json(const models::DeviceProfile& device) {
  return {
      {"name", device.name}, {"id", device.id}, {"compute_capability", device.compute_capability}};
}

}  // namespace tuner
