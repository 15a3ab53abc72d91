// Tuning a problem when a program first meets it, in a process of its own: the program's context is
// never touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/kernel/kernel.h"

namespace tuner::runtime {

struct FirstUse {
  std::filesystem::path executable;  // of the tuner
  std::filesystem::path configs;     // where the winner goes
  std::filesystem::path data;        // empty: the executable's own
  int device = 0;                    // index, as this process counts
  double seconds = 0;                // of the search
};

// The command line that tunes `kernel`'s problem.
std::vector<std::string> tune_command(const FirstUse& how, const tuner::Kernel& kernel);

// Waits for it. Empty where all went well, else what happened. What it prints goes to stderr.
std::string tune_now(const FirstUse& how, const tuner::Kernel& kernel);

}  // namespace tuner::runtime
