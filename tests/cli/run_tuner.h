// Runs the tuner's executable and catches what it writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tuner::cli {

struct Ran {
  int code = -1;  // exit code; -1 where a signal ended it
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// No GPU is visible to it, so that results are the same on every machine.
Ran run_tuner(std::vector<std::string> arguments);

}  // namespace tuner::cli
