#include "tuner/pipeline/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "expr/error.h"
#include "models/estimate.h"
#include "tuner/pipeline/main_launch.h"
#include "tuner/pipeline/moved_bytes.h"
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
    LabReport report;
    report.name = experiment_.name;
    report.title = experiment_.title;
    report.device = bench_.device.name;
    report.unit = experiment_.unit;
    report.why = experiment_.why;
    report.baseline = experiment_.baseline;
    report.measured = bench_.measurer != nullptr;
    std::vector<Subject> subjects;
    for (const LabCase& one : experiment_.cases) subjects.push_back(subject_of(one));
    if (bench_.compiler != nullptr) compile(subjects);
    for (const Subject& subject : subjects) report.rows.push_back(row_of(subject));
    if (experiment_.suggests) suggest(subjects, report);
    if (bench_.occupancy && bench_.compiler != nullptr) ask_driver(subjects, report);
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
    jobs.reserve(subjects.size());
    for (const Subject& subject : subjects) {
      jobs.push_back(compile_job(subject.kernel.build(subject.config), subject.one.label,
                                 bench_.device.compute_capability));
    }
    std::vector<CompileResult> results = compile_all(*bench_.compiler, std::move(jobs));
    for (std::size_t i = 0; i < subjects.size(); ++i) subjects[i].compiled = std::move(results[i]);
  }

  static bool has_code(const Subject& subject) {
    return subject.compiled.status == CompileResult::Status::ok &&
           !subject.compiled.entries.empty();
  }

  static LaunchPlan plan_of(const Subject& subject) {
    return subject.kernel.launch(subject.config, compiled_entries(subject.compiled),
                                 subject.compiled.symbol_names);
  }

  std::vector<CompiledEntry> entries_of(const Subject& subject) const {
    if (bench_.compiler == nullptr) return {};
    return compiled_entries(subject.compiled);
  }

  // What the model suggests for the baseline's resources.
  void suggest(const std::vector<Subject>& subjects, LabReport& report) const {
    for (const Subject& subject : subjects) {
      if (subject.one.label != experiment_.baseline) continue;
      const models::KernelShape shape = subject.kernel.shape(subject.config, entries_of(subject));
      const models::LaunchShape& launch = shape.launches[main_launch(shape)];
      const models::SuggestedLaunch suggested = models::suggest_block(
          bench_.device,
          {launch.threads, launch.registers.value_or(launch.min_registers),
           launch.static_shared.value_or(0), launch.dynamic_shared + subject.one.ballast});
      report.suggested = SuggestedBlock{suggested.block, suggested.min_grid};
    }
  }

  void ask_driver(const std::vector<Subject>& subjects, LabReport& report) const {
    std::vector<OccupancyQuery> queries;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (!has_code(subjects[i]) || report.rows[i].threads == 0) continue;
      const LaunchPlan plan = plan_of(subjects[i]);
      const LaunchStep& step =
          plan.steps[main_launch(subjects[i].kernel.shape(subjects[i].config))];
      queries.push_back({subjects[i].compiled.cubin.string(), step.lowered_name,
                         report.rows[i].threads, step.dynamic_shared + subjects[i].one.ballast});
      rows.push_back(i);
    }
    const std::vector<DriverOccupancy> answers = bench_.occupancy(queries);
    for (std::size_t i = 0; i < answers.size(); ++i) take(answers[i], report.rows[rows[i]], report);
  }

  void take(const DriverOccupancy& answer, LabRow& row, LabReport& report) const {
    if (!answer.problem.empty()) {
      report.notes.push_back(
          fmt::format("{}: the driver tells no occupancy: {}", row.label, answer.problem));
      return;
    }
    row.driver_blocks_per_sm = answer.blocks_per_sm;
    if (experiment_.suggests && row.label == experiment_.baseline) {
      report.suggested_by_driver = SuggestedBlock{answer.suggested_block, answer.min_grid};
    }
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
    row.spill_bytes = launch.spill_bytes;
    row.predicted_ns = estimate.time_ns;
    row.bound = estimate.bound;
    row.sectors = first_load_sectors(launch);
    row.wavefronts = most_wavefronts(launch);
    row.failure = std::isfinite(estimate.time_ns) ? "" : estimate.drop_reason;
    if (experiment_.unit == "GFLOP/s") place_on_roofline(shape, estimate, row);
    if (main >= estimate.occupancy.size()) return;
    row.blocks_per_sm = estimate.occupancy[main].blocks_per_sm;
    row.occupancy = estimate.occupancy[main].occupancy;
    if (bench_.counters) {
      row.counters =
          CounterRow{one.label, model_counters(bench_.device, shape, estimate, main), {}};
    }
    row.limiters = limiter_names(estimate.occupancy[main]);
  }

  void place_on_roofline(const models::KernelShape& shape, const models::Estimate& estimate,
                         LabRow& row) const {
    const models::DeviceProfile& device = bench_.device;
    const MovedBytes moved = moved_bytes(device, shape, estimate);
    row.roof = device.fp32_gflops();
    if (moved.dram > 0) {
      row.intensity = shape.useful_flops / moved.dram;
      row.roof = std::min(row.roof, row.intensity * device.dram_gbps);
    }
    if (moved.l2 > 0) {
      row.l2_intensity = shape.useful_flops / moved.l2;
      row.roof = std::min(row.roof, row.l2_intensity * device.l2_gbps);
    }
  }

  void measure(const LabCase& one, const Kernel& kernel, const search::Config& config,
               const CompileResult& compiled, LabRow& row) {
    LaunchPlan launches = kernel.launch(config, compiled_entries(compiled), compiled.symbol_names);
    const std::size_t main = main_launch(kernel.shape(config));
    launches.steps[main].dynamic_shared += one.ballast;
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
      row.first_ns = result.first_ns;
      if (row.counters) {
        const CacheMode cache = one.cold ? CacheMode::cold : CacheMode::warm;
        row.counters->measured = bench_.counters(kernel, cache, job)[kernel_index(job.steps, main)];
      }
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
