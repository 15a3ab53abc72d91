// What is compared with what, and the goal of each.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/peers/tuned_kernel.h"

namespace tuner::bench {

struct Case {
  std::string group;  // "reduction", "copy", …: what --only names
  std::string label;  // "2^28"
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> axes;
  // A folder under --configs for results of a part of the space; empty for the whole.
  std::string variant = {};
  // "cub", "memcpy", "cublas"; "copy": our tuned copy of as many elements; "torch gather",
  // "torch index_select".
  std::string peer;
  double scale = 1;  // the peer's time times this is what we are compared with
  double goal = 0;   // of the ratio; 0: none is set
};

// In the order of the report.
std::vector<Case> all_cases();

}  // namespace tuner::bench
