// Names with their values, in a fixed order: a problem's axes, a configuration's parameters.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/value.h"

namespace tuner {

using NamedValues = std::vector<std::pair<std::string, Value>>;

const Value* find_value(const NamedValues& values, std::string_view name);  // nullptr: not there
bool same_values(const NamedValues& a, const NamedValues& b);               // in whatever order
std::string to_string(const NamedValues& values);                           // "n=4096 dtype=f32"

// An object in the order of the list. A real that is whole stays a real ("2.0").
nlohmann::ordered_json to_json_object(const NamedValues& values);
nlohmann::ordered_json to_json_value(const Value& value);
// Throw TunerError beginning with `where` for what is no number, boolean or string.
NamedValues named_values_from_json(const nlohmann::ordered_json& json, const std::string& where);
Value value_from_json(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace tuner
