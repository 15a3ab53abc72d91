#include "tuner/pipeline/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "expr/error.h"
#include "models/estimate.h"
#include "tuner/pipeline/main_launch.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

using Key = std::pair<search::Config, int>;  // with the register limit
using Compiled = std::map<Key, CompileResult>;

CompileJob job_of(const Kernel& kernel, const Key& key) {
  CompileJob job = compile_job(kernel.build(key.first), kernel.space().id(key.first),
                               kernel.device().compute_capability);
  if (key.second > 0) job.options.push_back(fmt::format("--maxrregcount={}", key.second));
  return job;
}

Compiled compile_plan(const Kernel& kernel, const StudyPlan& plan, Compiler& compiler) {
  std::set<Key> keys;
  for (const auto* settings : {&plan.settings, &plan.widths}) {
    for (const StudySetting& setting : *settings) {
      keys.insert({setting.config, setting.register_limit});
    }
  }
  std::vector<CompileJob> jobs;
  jobs.reserve(keys.size());
  for (const Key& key : keys) jobs.push_back(job_of(kernel, key));
  std::vector<CompileResult> results = compile_all(compiler, std::move(jobs));
  Compiled compiled;
  for (const Key& key : keys) compiled.emplace(key, std::move(results[compiled.size()]));
  return compiled;
}

// What the warps of a launch load and store in global memory, over their life.
struct Traffic {
  double loads = 0;   // requests a warp
  double loaded = 0;  // bytes a warp
  double stored = 0;
  double widths = 0;  // of the loads, bytes a lane, added up

  double bytes_per_load() const { return loads > 0 ? loaded / loads : 0; }  // of a warp
  double width() const { return loads > 0 ? widths / loads : 0; }           // of a lane
};

Traffic traffic_of(const models::LaunchShape& launch) {
  Traffic traffic;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (access.shared) continue;
    const double bytes = access.requests_per_warp * access.width_bytes * access.active_lanes;
    (access.store ? traffic.stored : traffic.loaded) += bytes;
    if (access.store) continue;
    traffic.loads += access.requests_per_warp;
    traffic.widths += access.requests_per_warp * access.width_bytes;
  }
  return traffic;
}

// Little's law: what has to be in flight is latency times rate. Of global loads, bytes a SM; of a
// copy, half of what the roof moves is read.
double needed_in_flight(const models::DeviceProfile& device, const Traffic& traffic) {
  if (!(traffic.loaded > 0)) return 0;
  return device.dram_read_gbps * device.dram_latency_ns / device.sm_count * traffic.loaded /
         (traffic.loaded + traffic.stored);
}

// Bytes that one warp has in flight.
double warp_in_flight(const models::LaunchShape& launch, const Traffic& traffic) {
  return traffic.bytes_per_load() * std::max(1.0, launch.loads_in_flight);
}

// Warps a SM that the law asks for: of loads where memory binds, else of FMAs, in warp
// instructions.
double little_warps(const models::DeviceProfile& device, const models::LaunchShape& launch,
                    bool by_memory) {
  constexpr double kLanes = 32;
  if (!by_memory) {
    return device.fma_latency_cycles * device.fp32_lanes_per_sm / kLanes /
           std::max(1.0, launch.ilp);
  }
  const Traffic traffic = traffic_of(launch);
  if (traffic.loads == 0) return 0;
  return needed_in_flight(device, traffic) / warp_in_flight(launch, traffic);
}

class Runner {
 public:
  Runner(const Kernel& kernel, const StudyOptions& options, Compiler* compiler, Measurer* measurer)
      : kernel_(kernel), options_(options), compiler_(compiler), measurer_(measurer) {}

  Study run(const StudyPlan& plan) {
    if (compiler_ != nullptr) compiled_ = compile_plan(kernel_, plan, *compiler_);
    describe(plan);
    for (const StudySetting& setting : plan.settings) add(setting, study_.points);
    for (const StudySetting& setting : plan.widths) add(setting, study_.width_points);
    note(not_compiled_, "settings do not compile");
    note(cannot_launch_,
         "settings cannot launch, or no shared memory brings the occupancy that "
         "was wanted");
    note(unchanged_,
         "register limits changed nothing that was compiled (a kernel with "
         "__launch_bounds__ is compiled as if there were no --maxrregcount)");
    return std::move(study_);
  }

 private:
  void describe(const StudyPlan& plan) {
    const models::DeviceProfile& device = kernel_.device();
    study_.kernel = kernel_.description().name;
    study_.problem = to_string(kernel_.problem());
    study_.device = device.name;
    study_.ilp_parameter = plan.ilp_parameter;
    study_.block_parameter = plan.block_parameter;
    study_.width_parameter = plan.width_parameter;
    // What takes longer under the roofs is what the throughput is of.
    by_memory_ = bound_by_memory(kernel_);
    study_.work = by_memory_ ? kernel_.useful_bytes() : kernel_.useful_flops();
    study_.unit = by_memory_ ? "GB/s" : "GFLOP/s";
    study_.roof = by_memory_ ? device.dram_gbps : device.fp32_gflops();
    if (study_.work > 0) return;
    study_.work = 1e9;
    study_.unit = "runs/s";
    study_.roof = 0;
  }

  void note(int count, const char* what) {
    if (count > 0) study_.notes.push_back(fmt::format("{} {}.", count, what));
  }

  const CompileResult* result_of(const StudySetting& setting) const {
    const auto found = compiled_.find({setting.config, setting.register_limit});
    return found == compiled_.end() ? nullptr : &found->second;
  }

  void add(const StudySetting& setting, std::vector<StudyPoint>& points) {
    const CompileResult* result = result_of(setting);
    if (result != nullptr && result->status != CompileResult::Status::ok) {
      ++not_compiled_;
      return;
    }
    if (setting.register_limit > 0 && result == nullptr) return;  // nothing is known of it
    models::KernelShape shape =
        kernel_.shape(setting.config,
                      result == nullptr ? std::vector<CompiledEntry>{} : compiled_entries(*result));
    shape.cold = options_.cold;
    const std::size_t main = main_launch(shape);
    std::int64_t ballast = 0;
    if (setting.ballast_blocks > 0) {
      ballast = ballast_for(kernel_.device(), shape.launches[main], setting.ballast_blocks);
      if (ballast <= 0) {
        ++cannot_launch_;
        return;
      }
      shape.launches[main].dynamic_shared += ballast;
    }
    StudyPoint point = predicted(setting, shape, main);
    point.ballast = ballast;
    if (!std::isfinite(point.predicted_ns)) {
      ++cannot_launch_;
    } else if (setting.knob == Knob::registers && is_known(point)) {
      ++unchanged_;
    } else {
      if (measurer_ != nullptr && result != nullptr) measure(setting, *result, main, point);
      points.push_back(std::move(point));
    }
  }

  StudyPoint predicted(const StudySetting& setting, const models::KernelShape& shape,
                       std::size_t main) const {
    const models::LaunchShape& launch = shape.launches[main];
    const models::Estimate estimate = models::estimate(kernel_.device(), shape);
    StudyPoint point;
    point.knob = setting.knob;
    point.config = kernel_.space().id(setting.config);
    point.ilp = launch.ilp;
    point.register_limit = setting.register_limit;
    point.threads = launch.threads;
    point.registers = launch.registers.value_or(0);
    point.spill_bytes = launch.spill_bytes;
    point.predicted_ns = estimate.time_ns;
    point.bound = estimate.bound;
    point.little_warps = little_warps(kernel_.device(), launch, by_memory_);
    const Traffic traffic = traffic_of(launch);
    point.load_bytes = traffic.width();
    if (main < estimate.occupancy.size()) {
      point.blocks_per_sm = estimate.occupancy[main].blocks_per_sm;
      point.warps_per_sm = estimate.occupancy[main].warps_per_sm;
      point.occupancy = estimate.occupancy[main].occupancy;
      point.in_flight = point.warps_per_sm * warp_in_flight(launch, traffic);
      if (by_memory_) point.needed_in_flight = needed_in_flight(kernel_.device(), traffic);
      if (options_.counters) {
        point.counters = CounterRow{fmt::format("{} {}", point.config, to_string(point.knob)),
                                    model_counters(kernel_.device(), shape, estimate, main),
                                    {}};
      }
    }
    return point;
  }

  // The same code at the same occupancy is there already.
  bool is_known(const StudyPoint& point) const {
    return std::ranges::any_of(study_.points, [&](const StudyPoint& other) {
      return other.ballast == 0 && other.ilp == point.ilp && other.threads == point.threads &&
             other.registers == point.registers && other.spill_bytes == point.spill_bytes;
    });
  }

  void measure(const StudySetting& setting, const CompileResult& result, std::size_t main,
               StudyPoint& point) {
    LaunchPlan launches =
        kernel_.launch(setting.config, compiled_entries(result), result.symbol_names);
    launches.steps[main].dynamic_shared += point.ballast;
    MeasureJob job;
    job.id = fmt::format("{} +{} B, {} registers", point.config, point.ballast, point.registers);
    job.cubin = result.cubin.string();
    job.steps = std::move(launches.steps);
    job.workspaces = std::move(launches.workspaces);
    job.symbols = std::move(launches.symbols);
    job.may_abandon = false;
    const MeasureResult measured = measurer_->measure(job);
    if (measured.status != "ok") {
      point.failure = measured.status;
      return;
    }
    point.time_ns = measured.time_ns;
    point.low_ns = measured.low_ns;
    point.high_ns = measured.high_ns;
    if (point.counters) {
      point.counters->measured = options_.counters(job)[kernel_index(job.steps, main)];
    }
  }

  const Kernel& kernel_;
  const StudyOptions& options_;
  Compiler* compiler_;
  Measurer* measurer_;
  Compiled compiled_;
  Study study_;
  bool by_memory_ = false;
  int not_compiled_ = 0, cannot_launch_ = 0, unchanged_ = 0;
};

}  // namespace

bool bound_by_memory(const Kernel& kernel) {
  const models::DeviceProfile& device = kernel.device();
  return kernel.useful_bytes() / device.dram_gbps >= kernel.useful_flops() / device.fp32_gflops();
}

Study run_study(const Kernel& kernel, const StudyOptions& options, const StudyPlan& plan,
                Compiler* compiler, Measurer* measurer) {
  return Runner(kernel, options, compiler, measurer).run(plan);
}

}  // namespace tuner
