// Measured spaces in Kernel Tuner's cachefile format: one JSON object with tune_params_keys,
// tune_params, objective and cache{"v1,v2,…": record}; a record whose objective is a string, or
// that has an __error__, failed.
#pragma once

#include <string>
#include <unordered_map>

#include "search/space.h"

namespace tuner::search {

struct MeasuredSpace {
  Space space;
  std::unordered_map<Config, double, ConfigHash> time_ms;  // of those that ran
  std::vector<Config> listed;                              // all, in the file's order
  double best_ms = 0;
};

MeasuredSpace read_cachefile(const std::string& path);

}  // namespace tuner::search
