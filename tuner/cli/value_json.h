// Values, problems and configurations as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "expr/value.h"
#include "search/space.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

nlohmann::ordered_json value_json(const Value& value);
nlohmann::ordered_json problem_json(const Problem& problem);
nlohmann::ordered_json config_json(const search::Space& space, const search::Config& config);
// name, id and compute_capability.
nlohmann::ordered_json device_json(const models::DeviceProfile& device);

}  // namespace tuner
