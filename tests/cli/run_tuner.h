// Runs the tuner's executable and catches what it writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tuner::cli {

// All there are.
inline const std::vector<std::string> kCommands = {
    "tune",  "show", "export",    "compare",   "record",     "list",
    "space", "info", "doctor",    "occupancy", "explain",    "report",
    "study", "lab",  "calibrate", "evaluate",  "completion", "man"};

struct Ran {
  int code = -1;  // exit code; -1 where a signal ended it
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// No GPU is visible to it, so that results are the same on every machine.
Ran run_tuner(std::vector<std::string> arguments);
// With the machine's GPUs; killed after `kill_after_s`, where that is not 0.
Ran run_tuner_on_gpu(std::vector<std::string> arguments, double kill_after_s = 0);

}  // namespace tuner::cli
