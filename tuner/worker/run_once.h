// One configuration run once, in a process of its own: what a profiler is started on.
#pragma once

#include <filesystem>

#include "tuner/measure/job.h"

namespace tuner {

// What run_once() reads: the problem's buffers, and the launches. Nothing is verified or timed, so
// the reference is left out. Throws TunerError where the file cannot be written.
void write_run_once(const std::filesystem::path& file, MeasureSetup setup, const MeasureJob& job);

// Main of "tuner run-once FILE": makes the buffers, runs the launches once, and waits. Launches no
// kernel but those of the job. Throws TunerError for what goes wrong.
int run_once(const std::filesystem::path& file);

}  // namespace tuner
