#include "tuner/store/fields.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "expr/error.h"

namespace tuner {

using nlohmann::ordered_json;

Fields::Fields(const ordered_json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object.is_object()) throw TunerError(own_place() + ": expected an object.");
}

// "file: " ends in the colon that is put behind "file: /entries/0".
std::string Fields::own_place() const {
  return where_.ends_with(": ") ? where_.substr(0, where_.size() - 2) : where_;
}

void Fields::fail(const std::string& key, std::string_view expected) const {
  throw TunerError(fmt::format("{}: expected {}, found {}.", where(key), expected,
                               dump_json(object_.at(key), -1)));
}

const ordered_json* Fields::optional(const std::string& key) const {
  read_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const ordered_json& Fields::required(const std::string& key) const {
  const ordered_json* found = optional(key);
  if (found == nullptr) throw TunerError(fmt::format("{}: \"{}\" is missing.", own_place(), key));
  return *found;
}

std::string Fields::text(const std::string& key) const {
  const ordered_json& json = required(key);
  if (!json.is_string()) fail(key, "a string");
  return json.get<std::string>();
}

std::string Fields::text_or(const std::string& key, std::string fallback) const {
  return optional(key) == nullptr ? std::move(fallback) : text(key);
}

double Fields::number(const std::string& key) const {
  const ordered_json& json = required(key);
  if (!json.is_number()) fail(key, "a number");
  return json.get<double>();
}

double Fields::number_or(const std::string& key, double fallback) const {
  const ordered_json* json = optional(key);
  if (json == nullptr) return fallback;
  return json->is_null() ? std::numeric_limits<double>::quiet_NaN() : number(key);
}

std::int64_t Fields::integer(const std::string& key) const {
  const ordered_json& json = required(key);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = !json.is_number_unsigned() || json.get<std::uint64_t>() <= kMost;
  if (!json.is_number_integer() || !fits) fail(key, "a 64-bit integer");
  return json.get<std::int64_t>();
}

std::int64_t Fields::integer_or(const std::string& key, std::int64_t fallback) const {
  return optional(key) == nullptr ? fallback : integer(key);
}

bool Fields::boolean_or(const std::string& key, bool fallback) const {
  const ordered_json* json = optional(key);
  if (json == nullptr) return fallback;
  if (!json->is_boolean()) fail(key, "true or false");
  return json->get<bool>();
}

NamedValues Fields::values(const std::string& key) const {
  return named_values_from_json(required(key), where(key));
}

const ordered_json& Fields::array(const std::string& key) const {
  const ordered_json& json = required(key);
  if (!json.is_array()) fail(key, "an array");
  return json;
}

const ordered_json& Fields::object(const std::string& key) const {
  const ordered_json& json = required(key);
  if (!json.is_object()) fail(key, "an object");
  return json;
}

ordered_json Fields::unread() const {
  ordered_json rest = ordered_json::object();
  for (const auto& [key, value] : object_.items()) {
    if (!read_.contains(key)) rest[key] = value;
  }
  return rest;
}

ordered_json parse_json(const std::string& text, const std::string& origin) {
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::exception& error) {
    throw TunerError(fmt::format(
        "{} is damaged and was left as it is ({}). Repair it, or move it away to begin anew.",
        origin, error.what()));
  }
}

std::int64_t check_schema(const ordered_json& json, const std::string& schema, std::int64_t newest,
                          const std::string& origin) {
  const Fields fields(json, origin + ": ");
  const std::string found = fields.text_or("schema", "");
  if (found != schema) {
    throw TunerError(
        fmt::format("{}: its schema is \"{}\", expected \"{}\".", origin, found, schema));
  }
  const std::int64_t version = fields.integer("version");
  if (version > newest) {
    throw TunerError(fmt::format(
        "{} was written by a newer tuner: it has version {} of {}, and this one knows up to {}. "
        "Update the tuner, or choose another file.",
        origin, version, schema, newest));
  }
  if (version < 1) {
    throw TunerError(fmt::format("{}: {} has no version {}; this tuner knows 1 to {}.", origin,
                                 schema, version, newest));
  }
  return version;
}

std::string dump_json(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace tuner
