// Commands of `tuner explain` whose accesses an H200's counters have told (tests/data/counters).
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace tuner::cli {

// A list of {"command": "copy --n 2^24", "counted": [{"memory", "store", "width_bytes", "total"}]}.
inline nlohmann::json counted_cases() {
  std::ifstream file(TUNER_TESTS "/data/counters/h200.json");
  return nlohmann::json::parse(file).at("cases");
}

// `tuner explain` of a case, with further words.
inline std::vector<std::string> explain_case(const nlohmann::json& one,
                                             const std::string& further) {
  std::istringstream stream("explain " + one.at("command").get<std::string>() + " " + further);
  return {std::istream_iterator<std::string>(stream), {}};
}

// What a case's counters and the model may differ by: few sectors come from the other instructions.
inline constexpr double kCountTolerance = 0.01;

}  // namespace tuner::cli
