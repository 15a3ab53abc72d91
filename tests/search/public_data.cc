#include "tests/search/public_data.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "tests/search/fixture.h"

namespace tuner::search {
namespace {

using nlohmann::json;

std::string unzipped(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  std::string text;
  std::array<char, 1U << 16U> buffer;
  int bytes = 0;
  while ((bytes = gzread(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), bytes);
  gzclose(file);
  return text;
}

Value value_of(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>();
  return value.get<std::string>();
}

std::vector<Axis> axes_of(const json& file) {
  std::vector<Axis> axes;
  for (const json& key : file.at("tune_params_keys")) {
    Axis& axis = axes.emplace_back();
    axis.name = key.get<std::string>();
    for (const json& value : file.at("tune_params").at(axis.name)) {
      axis.values.push_back(value_of(value));
    }
  }
  return axes;
}

}  // namespace

MeasuredSpace read_cachefile(const std::string& path) {
  const json file = json::parse(unzipped(path));
  const std::vector<Axis> axes = axes_of(file);
  const std::string objective = file.value("objective", "time");
  MeasuredSpace measured{make_space(axes, {}), {}, {}, std::numeric_limits<double>::infinity()};
  for (const auto& [key, record] : file.at("cache").items()) {
    std::vector<std::pair<std::string, Value>> values;
    for (const Axis& axis : axes) values.emplace_back(axis.name, value_of(record.at(axis.name)));
    const Config config = measured.space.from_values(values);
    measured.listed.push_back(config);
    const json& time = record.at(objective);
    if (!time.is_number()) continue;
    measured.time_ms[config] = time.get<double>();
    measured.best_ms = std::min(measured.best_ms, time.get<double>());
  }
  return measured;
}

}  // namespace tuner::search
