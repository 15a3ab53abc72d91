// What a measuring process needs to know about a problem, and a configuration made ready to be
// measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/job.h"

namespace tuner {

// Throws TunerError where the problem needs more memory than the device has (computed before
// anything is allocated).
void check_memory(const Kernel& kernel);

// Compiles the reference. Throws TunerError where it does not compile, and like check_memory().
MeasureSetup make_setup(const Kernel& kernel, Compiler& compiler, CacheMode cache, int device);

// Compiles `config` and fills in its launches; nullopt where it cannot be compiled, with the
// reason.
struct ReadyJob {
  std::optional<MeasureJob> job;
  std::string problem;
  std::vector<CompiledEntry> compiled;
};
ReadyJob make_job(const Kernel& kernel, Compiler& compiler, const search::Config& config);

}  // namespace tuner
