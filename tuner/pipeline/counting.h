// Hardware counters of a configuration's launches, read by Nsight Compute's command line, `ncu`,
// from a process that runs the configuration once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/estimate.h"
#include "tuner/measure/job.h"
#include "tuner/report/counters.h"

namespace tuner {

// The counters of a job's kernel launches, in their order (a memset has none).
using ReadCounters = std::function<std::vector<Counters>(const MeasureSetup&, const MeasureJob&)>;

// `ncu` on $PATH. Throws TunerError saying what to install where there is none.
std::filesystem::path find_ncu();

// Runs `tuner run-once` under `ncu` for each job; some seconds, since the kernel is run again for
// each group of counters. Clocks are left as they are. It throws TunerError where counters may not
// be read (saying how they may), or ncu fails. `by_access`: also the accesses of each launch.
ReadCounters ncu_reader(std::filesystem::path ncu, bool by_access = false);

// What `ncu --csv --page raw --print-units base` printed, with whatever else the two programs said.
// Throws TunerError where that holds no counters, with the reason.
std::vector<Counters> parse_ncu(const std::string& output);

// What `ncu --csv --page source` printed of a report with the section SourceCounters: the accesses
// of each kernel, by kind.
std::vector<std::vector<AccessCounts>> parse_ncu_source(const std::string& output);

// The model's accesses of a launch of a kernel by kind, beside those that were counted.
std::vector<AccessRow> access_rows(const models::LaunchShape& launch,
                                   const std::vector<AccessCounts>& counted);

// What the model has for a launch of a kernel; `estimate` is that of `shape` on `device`.
Counters model_counters(const models::DeviceProfile& device, const models::KernelShape& shape,
                        const models::Estimate& estimate, std::size_t launch);

// The place of a launch among the kernel launches of the job.
std::size_t kernel_index(const std::vector<LaunchStep>& steps, std::size_t step);

}  // namespace tuner
