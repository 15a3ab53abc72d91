// The problems that an application really runs, for `tuner tune --from-capture`: JSON lines, so
// that several processes may add to one file and a crash loses nothing.
//
// Each line is an object of its own:
//   {"schema": "tuner.capture", "version": 1, "kernel": name of a built-in kernel, or the absolute
//    path of a kernel.json, "problem": {axis: value, ...}, "count": calls}
// The same kernel and problem may stand in several lines: their counts add up. Keys that are not
// known are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/store/named_values.h"

namespace tuner {

struct CapturedProblem {
  std::string kernel;
  NamedValues problem;      // every axis
  std::int64_t count = 1;   // calls
  std::string origin = {};  // "file:line" where it was read
};

// Adds a line by one write. Throws TunerError naming the file where that fails.
void append_captured(const std::filesystem::path& file, const CapturedProblem& captured);

// Distinct problems, the most called first; of equals the one that was met first. Throws TunerError
// naming the file and the line: a file that is missing or empty, a line that is no such object.
std::vector<CapturedProblem> load_captured(const std::filesystem::path& file);

}  // namespace tuner
