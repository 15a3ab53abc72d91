// Configurations as people write them: ids, values by name, narrowing.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "search/space.h"

namespace tuner::search {
namespace {

std::string listed(const std::vector<Value>& values) {
  constexpr std::size_t kShown = 32;
  std::string list;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + to_string(values[i]);
  }
  return values.size() > kShown ? list + ", …" : list;
}

// An integer stands for the real of the same value, as in expressions.
bool same(const Value& listed_value, const Value& given) {
  if (const auto* real = std::get_if<double>(&listed_value)) {
    const auto* whole = std::get_if<std::int64_t>(&given);
    if (whole != nullptr) return *real == static_cast<double>(*whole);
  }
  return listed_value == given;
}

std::size_t index_of(const Parameter& parameter, const Value& value) {
  const auto found =
      std::find_if(parameter.values.begin(), parameter.values.end(),
                   [&](const Value& listed_value) { return same(listed_value, value); });
  if (found == parameter.values.end()) {
    throw TunerError(fmt::format("{} is not a value of parameter '{}'; it takes {}",
                                 to_string(value), parameter.name, listed(parameter.values)));
  }
  return found - parameter.values.begin();
}

std::size_t parameter_named(const Space& space, std::string_view name) {
  if (const auto found = space.find_parameter(name)) return *found;
  std::vector<std::string> known;
  for (const Parameter& parameter : space.parameters()) known.push_back(parameter.name);
  std::string message = fmt::format("there is no parameter '{}'", name);
  if (const auto nearest = expr::nearest_name(name, known)) {
    message += fmt::format("; did you mean '{}'?", *nearest);
  } else {
    message += fmt::format("; the parameters are {}", fmt::join(known, ", "));
  }
  throw TunerError(message);
}

bool needs_equals_sign(const std::string& name, const Value& value) {
  const Type type = type_of(value);
  if (type == Type::text || type == Type::boolean) return true;
  return std::isdigit(static_cast<unsigned char>(name.back())) != 0;
}

}  // namespace

bool has_meaning(const Parameter& parameter, std::span<const expr::Cell> cells) {
  try {
    return !parameter.when || parameter.when->boolean(cells);
  } catch (const expr::ExpressionError&) {
    return true;
  }
}

std::string Space::id(const Config& config) const {
  std::string text;
  const std::vector<expr::Cell> filled = cells(config);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!has_meaning(parameters_[i], filled)) continue;
    const std::string& name = parameters_[i].name;
    if (!text.empty()) text += '.';
    text += name;
    if (needs_equals_sign(name, value(config, i))) text += '=';
    text += to_string(value(config, i));
  }
  return text;
}

Config Space::from_values(std::span<const std::pair<std::string, Value>> values) const {
  Config config = default_config();
  for (const auto& [name, value] : values) {
    const std::size_t parameter = parameter_named(*this, name);
    const std::size_t choice = index_of(parameters_[parameter], value);
    config.choice[parameter] = static_cast<std::uint16_t>(choice);
  }
  return config;
}

Space Space::narrowed(std::string_view name, std::span<const Value> values) const {
  const std::size_t index = parameter_named(*this, name);
  const Parameter& wide = parameters_[index];
  if (values.empty()) {
    throw TunerError(fmt::format("parameter '{}' needs at least one value; it takes {}", wide.name,
                                 listed(wide.values)));
  }
  std::vector<bool> kept(wide.values.size(), false);
  for (const Value& value : values) kept[index_of(wide, value)] = true;
  const std::size_t default_index =
      kept[wide.default_index] ? wide.default_index : index_of(wide, values.front());

  std::vector<Parameter> parameters = parameters_;
  Parameter& narrow = parameters[index];
  narrow.values.clear();
  for (std::size_t i = 0; i < wide.values.size(); ++i) {
    if (i == default_index) narrow.default_index = narrow.values.size();
    if (kept[i]) narrow.values.push_back(wide.values[i]);
  }
  return {scope_, cells_, std::move(parameters), constraints_};
}

}  // namespace tuner::search
