// The comparisons as JSON and as a Markdown table.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tests/bench/peers/cases.h"
#include "tests/bench/peers/comparison.h"

namespace tuner::bench {

struct Row {
  Case what;
  CacheMode cache = CacheMode::warm;
  std::optional<Ratio> ratio;
  std::string problem;  // why there is none
};

// The interval's lower end is within one percent of the goal, or above.
bool meets_goal(const Row& row);

struct RunFacts {
  std::string gpu, driver, cuda, date, command;
  int rounds = 0;
};
nlohmann::ordered_json to_json_document(const std::vector<Row>& rows, const RunFacts& facts);
std::string markdown_table(const std::vector<Row>& rows);

}  // namespace tuner::bench
