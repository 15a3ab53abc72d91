#include "tuner/pipeline/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "expr/error.h"
#include "models/occupancy.h"
#include "tuner/os/paths.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

// Medians of this sureness cost some 50 ms a launch.
SamplingRule sampling_rule() {
  SamplingRule rule;
  rule.min_samples = 5;
  rule.max_samples = 20;
  rule.relative_error = 0.002;
  rule.max_ms = 40;
  return rule;
}

struct CompiledProbe {
  std::filesystem::path cubin;
  EntryFacts facts;
};

// By entry; no two sources share a name.
std::map<std::string, CompiledProbe> compile(const CalibrationPlan& plan, int architecture,
                                             Compiler& compiler) {
  std::map<std::string, CompiledProbe> compiled;
  for (const CompileResult& result :
       compile_all(compiler, calibration_compile_jobs(plan, architecture))) {
    if (result.status != CompileResult::Status::ok) {
      throw TunerError(
          fmt::format("a kernel of the calibration does not compile: {}", result.reason));
    }
    for (const EntryFacts& facts : result.entries) compiled[facts.entry] = {result.cubin, facts};
  }
  return compiled;
}

bool all_resident(const ProbeLaunch& launch, const EntryFacts& facts,
                  const models::DeviceProfile& device) {
  const models::BlockResources block{.threads = launch.point.threads,
                                     .registers_per_thread = facts.registers,
                                     .static_shared = facts.static_shared,
                                     .dynamic_shared = launch.step.dynamic_shared};
  return models::occupancy(device, block).blocks_per_sm >= launch.point.blocks_per_sm;
}

MeasureJob job_of(const ProbeLaunch& launch, const CompiledProbe& compiled) {
  MeasureJob job;
  job.id =
      fmt::format("{} of {} threads", models::to_string(launch.point.probe), launch.point.threads);
  job.cubin = compiled.cubin.string();
  job.steps = {launch.step};
  job.steps.front().lowered_name = compiled.facts.lowered_name;
  job.workspaces = launch.workspaces;
  job.may_abandon = false;
  return job;
}

}  // namespace

std::vector<CompileJob> calibration_compile_jobs(const CalibrationPlan& plan, int architecture) {
  std::vector<CompileJob> jobs;
  for (const ProbeLaunch& launch : plan.launches) {
    const std::filesystem::path source =
        data_folder() / "kernels_src" / "calibrate" / launch.source;
    auto job = std::ranges::find(jobs, source, &CompileJob::source);
    if (job == jobs.end()) {
      job = jobs.insert(job, CompileJob{});
      job->label = launch.source;
      job->source = source;
      job->options = {"--std=c++17"};
      job->architecture = architecture;
    }
    if (std::ranges::find(job->entries, launch.entry) == job->entries.end()) {
      job->entries.push_back(launch.entry);
    }
  }
  return jobs;
}

ProbeTimes run_probes(const CalibrationPlan& plan, const models::DeviceProfile& device,
                      const CalibrationBench& bench) {
  const std::map<std::string, CompiledProbe> compiled =
      compile(plan, device.compute_capability, bench.compiler);
  ProbeTimes times;
  std::size_t done = 0;
  // A process each for launches with and without the chains, whose contents are checked each time.
  for (const bool chains : {false, true}) {
    MeasureSetup setup;
    setup.cache = CacheMode::warm;
    setup.sampling = sampling_rule();
    if (chains) setup.buffers = plan.chains;
    const std::unique_ptr<Measurer> measurer = bench.measurer(std::move(setup));
    for (const ProbeLaunch& launch : plan.launches) {
      if (launch.walks_chain != chains) continue;
      if (bench.progress) bench.progress(done, plan.launches.size());
      ++done;
      const CompiledProbe& probe = compiled.at(launch.entry);
      if (!all_resident(launch, probe.facts, device)) continue;
      const MeasureJob job = job_of(launch, probe);
      const MeasureResult result = measurer->measure(job);
      if (result.status != "ok") {
        times.failures.push_back(fmt::format("{}: {}: {}", job.id, result.status, result.reason));
        continue;
      }
      times.throttled = times.throttled || result.throttled;
      times.points.push_back(launch.point);
      times.points.back().time_ns = result.time_ns;
    }
  }
  return times;
}

}  // namespace tuner
