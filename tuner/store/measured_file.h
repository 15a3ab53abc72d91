// The times in any of the files that hold measured ones.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/store/named_values.h"

namespace tuner {

struct FileTime {
  std::string what;  // "n=4096 … cold on NVIDIA H200", or a configuration's values
  double time_ns = 0, low_ns = 0, high_ns = 0;
};

struct MeasuredFile {
  std::string kind;  // "tuner.result", "tuner.journal", "tuner.recording"
  std::string kernel;
  std::vector<FileTime> times;  // > 0; the last of a name counts
};

// The schema that the file names: one of the kinds above. Throws TunerError for any other file.
std::string measured_schema(const std::filesystem::path& path);

// A tuned result (its winners, by problem), a journal or a recording (by configuration; only what
// went well and was not abandoned). Throws TunerError naming the file and what is wrong with it.
MeasuredFile load_measured_file(const std::filesystem::path& path);

}  // namespace tuner
