#include "tuner/store/named_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "expr/error.h"

namespace tuner {

using nlohmann::ordered_json;

const Value* find_value(const NamedValues& values, std::string_view name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

bool same_values(const NamedValues& a, const NamedValues& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& entry) {
           const Value* other = find_value(b, entry.first);
           return other != nullptr && *other == entry.second;
         });
}

std::string to_string(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_string(value));
  }
  return text;
}

ordered_json to_json_value(const Value& value) {
  return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

ordered_json to_json_object(const NamedValues& values) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : values) json[name] = to_json_value(value);
  return json;
}

Value value_from_json(const ordered_json& json, const std::string& where) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  const bool fits = !json.is_number_unsigned() || json.get<std::uint64_t>() <= kMost;
  if (json.is_number_integer() && fits) return json.get<std::int64_t>();
  throw TunerError(fmt::format("{}: {} is neither a 64-bit number, a boolean nor a string.", where,
                               json.dump(-1, ' ', false, ordered_json::error_handler_t::replace)));
}

NamedValues named_values_from_json(const ordered_json& json, const std::string& where) {
  if (!json.is_object()) throw TunerError(fmt::format("{}: expected an object.", where));
  NamedValues values;
  for (const auto& [name, value] : json.items()) {
    values.emplace_back(name, value_from_json(value, where + "/" + name));
  }
  return values;
}

}  // namespace tuner
