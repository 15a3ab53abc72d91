// A command of another program, and all that it prints.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuner {

struct CapturedCommand {
  int exit_code = -1;  // -1: ended by a signal, or by us because it took too long
  bool timed_out = false;
  std::string output;  // standard output and error, as they came
};

// Runs `argv` (argv[0] is a path) to its end, with nothing on its standard input; killed, with its
// process group, where it takes longer than `limit`. Throws TunerError where it cannot be started.
CapturedCommand run_captured(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

// The first executable file of that name in the folders of $PATH.
std::optional<std::filesystem::path> find_on_path(const std::string& name);

}  // namespace tuner
