#include "tuner/pipeline/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "expr/error.h"
#include "models/estimate.h"
#include "tuner/pipeline/main_launch.h"
#include "tuner/report/limiters.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

double first_load_sectors(const models::LaunchShape& launch) {
  const auto load = std::ranges::find_if(launch.accesses, [](const models::MemoryAccess& access) {
    return !access.shared && !access.store;
  });
  return load == launch.accesses.end() ? 0 : load->sectors_per_request;
}

double most_wavefronts(const models::LaunchShape& launch) {
  double most = 0;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (access.shared) most = std::max(most, access.bank_wavefronts);
  }
  return most;
}

class Runner {
 public:
  Runner(const Experiment& experiment, const LabBench& bench)
      : experiment_(experiment), bench_(bench) {}

  LabReport run() {
    LabReport report{experiment_.name,
                     experiment_.title,
                     bench_.device.name,
                     experiment_.unit,
                     experiment_.why,
                     experiment_.baseline,
                     {},
                     bench_.measurer != nullptr};
    std::vector<Subject> subjects;
    for (const LabCase& one : experiment_.cases) subjects.push_back(subject_of(one));
    if (bench_.compiler != nullptr) compile(subjects);
    for (const Subject& subject : subjects) report.rows.push_back(row_of(subject));
    return report;
  }

 private:
  struct Subject {
    const LabCase& one;
    Kernel kernel;
    search::Config config;
    CompileResult compiled;
  };

  Subject subject_of(const LabCase& one) const {
    Kernel kernel = kernel_of(one);
    search::Config config = kernel.space().from_values(one.config);
    return {one, std::move(kernel), std::move(config), {}};
  }

  void compile(std::vector<Subject>& subjects) const {
    std::vector<CompileJob> jobs;
    for (const Subject& subject : subjects) {
      jobs.push_back(compile_job(subject.kernel.build(subject.config), subject.one.label,
                                 bench_.device.compute_capability));
    }
    std::vector<CompileResult> results = compile_all(*bench_.compiler, std::move(jobs));
    for (std::size_t i = 0; i < subjects.size(); ++i) subjects[i].compiled = std::move(results[i]);
  }

  LabRow row_of(const Subject& subject) {
    const auto& [one, kernel, config, compiled] = subject;
    LabRow row;
    row.label = one.label;
    row.config = kernel.space().id(config);
    if (const auto why = kernel.space().violation(config)) {
      row.failure = *why;
      return row;
    }
    row.work = experiment_.unit == "GFLOP/s" ? kernel.useful_flops() : kernel.useful_bytes();
    if (bench_.compiler != nullptr && compiled.status != CompileResult::Status::ok) {
      row.failure = compiled.reason;
      return row;
    }
    predict(one, kernel, config, compiled, row);
    if (bench_.measurer && std::isfinite(row.predicted_ns)) {
      measure(one, kernel, config, compiled, row);
    }
    return row;
  }

  Kernel kernel_of(const LabCase& one) const {
    KernelDescription description = find_kernel(one.kernel);
    Problem problem = resolve_problem(description, one.problem);
    return Kernel(std::move(description), std::move(problem), bench_.device);
  }

  void predict(const LabCase& one, const Kernel& kernel, const search::Config& config,
               const CompileResult& compiled, LabRow& row) const {
    models::KernelShape shape = kernel.shape(config, compiled_entries(compiled));
    shape.cold = one.cold;
    const std::size_t main = main_launch(shape);
    models::LaunchShape& launch = shape.launches[main];
    launch.dynamic_shared += one.ballast;
    const models::Estimate estimate = models::estimate(bench_.device, shape);
    row.threads = launch.threads;
    row.registers = launch.registers.value_or(0);
    row.predicted_ns = estimate.time_ns;
    row.bound = estimate.bound;
    row.sectors = first_load_sectors(launch);
    row.wavefronts = most_wavefronts(launch);
    row.failure = std::isfinite(estimate.time_ns) ? "" : estimate.drop_reason;
    if (main >= estimate.occupancy.size()) return;
    row.blocks_per_sm = estimate.occupancy[main].blocks_per_sm;
    row.occupancy = estimate.occupancy[main].occupancy;
    row.limiters = limiter_names(estimate.occupancy[main]);
  }

  void measure(const LabCase& one, const Kernel& kernel, const search::Config& config,
               const CompileResult& compiled, LabRow& row) {
    LaunchPlan launches = kernel.launch(config, compiled_entries(compiled), compiled.symbol_names);
    launches.steps[main_launch(kernel.shape(config))].dynamic_shared += one.ballast;
    MeasureJob job;
    job.id = row.config;
    job.cubin = compiled.cubin.string();
    job.steps = std::move(launches.steps);
    job.workspaces = std::move(launches.workspaces);
    job.symbols = std::move(launches.symbols);
    job.may_abandon = false;
    const MeasureResult result = measurer_for(one, kernel).measure(job);
    if (result.status == "ok") {
      row.time_ns = result.time_ns;
    } else {
      row.failure = result.status;
    }
  }

  // Cases of one problem follow each other, and share what was set up for it.
  Measurer& measurer_for(const LabCase& one, const Kernel& kernel) {
    const auto key = std::tuple(one.kernel, to_string(kernel.problem()), one.cold);
    if (measurer_ == nullptr || key != measured_) {
      measurer_.reset();
      measurer_ = bench_.measurer(kernel, one.cold ? CacheMode::cold : CacheMode::warm);
      measured_ = key;
    }
    return *measurer_;
  }

  const Experiment& experiment_;
  const LabBench& bench_;
  std::unique_ptr<Measurer> measurer_;
  std::tuple<std::string, std::string, bool> measured_;
};

}  // namespace

LabReport run_experiment(const Experiment& experiment, const LabBench& bench) {
  return Runner(experiment, bench).run();
}

}  // namespace tuner
