#include "tuner/pipeline/scheduler.h"

#include <algorithm>
#include <optional>
#include <set>

#include "models/estimate.h"
#include "tuner/pipeline/measuring_threads.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

// After the time limit, with nothing to show yet: so many failures more are looked at.
constexpr std::size_t kFailuresWhenLate = 16;

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

class Search {
 public:
  Search(const Kernel& kernel, bool cold, search::Strategy& strategy, Compiler& compiler,
         std::span<Measurer* const> measurers, const SearchLimits& limits, const SearchPlan& plan,
         SearchObserver& observer)
      : kernel_(kernel),
        cold_(cold),
        strategy_(strategy),
        compiler_(compiler),
        limits_(limits),
        plan_(plan),
        observer_(observer),
        begin_(std::chrono::steady_clock::now()),
        gpu_(measurers, observer, inbox_) {}

  SearchOutcome run() {
    try {
      loop();
    } catch (...) {
      drain();
      throw;
    }
    outcome_.starved_ms = gpu_.starved_ms();
    return std::move(outcome_);
  }

 private:
  void loop() {
    take_known();
    for (const search::Config& config : plan_.first) compile(config);
    while (true) {
      if (!stopping_ && should_stop()) stop();
      if (!stopping_) top_up();
      if (compiling_ == 0 && measuring_ == 0) break;
      if (std::optional<SearchEvent> event = inbox_.pop(std::chrono::milliseconds(100))) {
        handle(*event);
      }
      observer_.idle();
    }
  }

  // The compilers' threads still know of this search: it must not end before they have answered.
  void drain() {
    stop();
    while (compiling_ > 0) {
      const std::optional<SearchEvent> event = inbox_.pop(std::chrono::milliseconds(100));
      if (event && event->kind == SearchEvent::Kind::compiled) --compiling_;
    }
  }

  void take_known() {
    for (const TrialRecord& record : plan_.known) {
      seen_.insert(record.trial.config);
      count_measured(record.trial);
      strategy_.tell(std::span(&record.trial, 1));
      outcome_.trials.push_back(record);
    }
  }

  bool should_stop() {
    if (limits_.interrupted != nullptr && *limits_.interrupted) {
      outcome_.interrupted = true;
      return true;
    }
    const bool late = limits_.time.count() > 0 &&
                      std::chrono::steady_clock::now() - begin_ >= limits_.time &&
                      (incumbent_ns_ > 0 || outcome_.failed >= kFailuresWhenLate);
    outcome_.converged = limits_.patience > 0 && since_better_ >= limits_.patience;
    return late || outcome_.converged || !outcome_.device_lost.empty() ||
           (limits_.budget > 0 && outcome_.measured >= limits_.budget);
  }

  // Results that are on their way are still taken in; nothing new is begun.
  void stop() {
    stopping_ = true;
    compiler_.cancel();
    measuring_ -= gpu_.cancel();
  }

  void top_up() {
    const std::size_t ahead = 2 * static_cast<std::size_t>(compiler_.parallelism()) + 4;
    const std::size_t under_way = compiling_ + measuring_;
    std::size_t room = under_way < ahead ? ahead - under_way : 0;
    if (limits_.budget > 0) {
      const std::size_t left =
          limits_.budget - std::min(limits_.budget, outcome_.measured + under_way);
      room = std::min(room, left);
    }
    if (room == 0) return;
    const auto begin = std::chrono::steady_clock::now();
    std::vector<search::Config> batch = strategy_.ask(room);
    outcome_.ask_ms += milliseconds_since(begin);
    for (search::Config& config : batch) compile(std::move(config));
  }

  void compile(search::Config config) {
    if (!seen_.insert(config).second) return;
    ++compiling_;
    CompileJob job = compile_job(kernel_.build(config), kernel_.space().id(config),
                                 kernel_.device().compute_capability);
    compiler_.submit(std::move(job), [this, config = std::move(config)](CompileResult result) {
      inbox_.push({SearchEvent::Kind::compiled, config, std::move(result), {}, {}});
    });
  }

  void handle(SearchEvent& event) {
    switch (event.kind) {
      case SearchEvent::Kind::compiled:
        --compiling_;
        compiled(event.config, event.compiled);
        break;
      case SearchEvent::Kind::measured:
        --measuring_;
        measured(event.config, event.measured);
        break;
      case SearchEvent::Kind::lost:
        --measuring_;
        outcome_.device_lost = event.problem;
        records_.erase(event.config);
        break;
    }
  }

  void compiled(const search::Config& config, CompileResult& result) {
    if (result.status == CompileResult::Status::cancelled) return;
    TrialRecord record;
    record.trial.config = config;
    record.compile_ms = result.compile_ms;
    record.compile_cached = result.cached;
    outcome_.compile_core_ms += result.cached ? 0 : result.compile_ms;
    ++outcome_.compiled;
    if (result.status != CompileResult::Status::ok) {
      const bool late = result.status == CompileResult::Status::timeout;
      record.trial.status = late ? search::Status::compile_timeout : search::Status::compile_error;
      record.trial.reason = result.reason;
      return finish(std::move(record));
    }
    const std::vector<CompiledEntry> entries = compiled_entries(result);
    record.compiled = entries;
    for (const CompiledEntry& entry : entries) {
      record.registers = std::max(record.registers, entry.registers);
      record.spill_bytes = std::max(record.spill_bytes, entry.spill_bytes);
    }
    models::KernelShape shape = kernel_.shape(config, entries);
    shape.cold = cold_;
    const models::Score score = models::score(kernel_.device(), shape);
    const bool hopeless = incumbent_ns_ > 0 && score.bound_ns > incumbent_ns_;
    if (plan_.prune && (!score.keep || hopeless)) {
      record.trial.status = search::Status::pruned;
      record.trial.reason = score.keep ? "its roof is above the incumbent" : score.drop_reason;
      return finish(std::move(record));
    }
    measure(std::move(record), result, entries);
  }

  void measure(TrialRecord record, const CompileResult& result,
               const std::vector<CompiledEntry>& entries) {
    if (stopping_) return;
    const search::Config config = record.trial.config;
    LaunchPlan plan = kernel_.launch(config, entries, result.symbol_names);
    record.job.id = kernel_.space().id(config);
    record.job.cubin = result.cubin.string();
    record.job.steps = std::move(plan.steps);
    record.job.workspaces = std::move(plan.workspaces);
    record.job.symbols = std::move(plan.symbols);
    record.job.may_abandon = plan_.may_abandon;
    ++measuring_;
    MeasureJob job = record.job;
    records_.emplace(config, std::move(record));
    gpu_.submit(config, std::move(job));
  }

  void measured(const search::Config& config, MeasureResult& result) {
    auto node = records_.extract(config);
    if (node.empty() || (stopping_ && result.reason == "cancelled")) return;
    TrialRecord record = std::move(node.mapped());
    record.trial.status = search::status_from_string(result.status).value_or(search::Status::crash);
    record.trial.time_ns = result.time_ns;
    record.trial.abandoned = result.abandoned;
    record.trial.reason = result.reason;
    outcome_.gpu_ms += result.gpu_ms;
    outcome_.verify_ms += result.verify_ms;
    outcome_.sampling_ms += result.sampling_ms;
    outcome_.recheck_ms += result.recheck_ms;
    if (record.trial.status == search::Status::ok && !(result.verified && result.time_ns > 0)) {
      record.trial.status = search::Status::wrong;
      record.trial.reason = "measured, but not verified";
    }
    count_measured(record.trial);
    record.measured = std::move(result);
    finish(std::move(record));
  }

  void count_measured(const search::Trial& trial) {
    ++outcome_.measured;
    ++since_better_;
    if (trial.status != search::Status::ok) {
      count_failure(trial);
    } else if (!(incumbent_ns_ > 0 && incumbent_ns_ <= trial.time_ns)) {
      // A gain within the noise is no reason to go on.
      if (!(trial.time_ns > 0.995 * incumbent_ns_)) since_better_ = 0;
      incumbent_ns_ = trial.time_ns;
      gpu_.set_incumbent(incumbent_ns_);
    }
  }

  void count_failure(const search::Trial& trial) {
    ++outcome_.failed;
    ++outcome_.failures[std::string(search::to_string(trial.status))];
  }

  void finish(TrialRecord record) {
    switch (record.trial.status) {
      case search::Status::pruned:
        ++outcome_.pruned;
        break;
      case search::Status::compile_error:
      case search::Status::compile_timeout:
        count_failure(record.trial);
        break;
      default:
        break;  // counted with the measured ones
    }
    strategy_.tell(std::span(&record.trial, 1));
    observer_.finished(record);
    outcome_.trials.push_back(std::move(record));
  }

  const Kernel& kernel_;
  bool cold_;
  search::Strategy& strategy_;
  Compiler& compiler_;
  const SearchLimits& limits_;
  const SearchPlan& plan_;
  SearchObserver& observer_;
  std::chrono::steady_clock::time_point begin_;
  SearchInbox inbox_;
  SearchOutcome outcome_;
  std::map<search::Config, TrialRecord> records_;  // being measured
  std::set<search::Config> seen_;
  std::size_t compiling_ = 0, measuring_ = 0, since_better_ = 0;
  double incumbent_ns_ = 0;
  bool stopping_ = false;
  MeasuringThreads gpu_;  // last: its threads use what stands above
};

}  // namespace

SearchOutcome run_search(const Kernel& kernel, bool cold, search::Strategy& strategy,
                         Compiler& compiler, std::span<Measurer* const> measurers,
                         const SearchLimits& limits, const SearchPlan& plan,
                         SearchObserver& observer) {
  return Search(kernel, cold, strategy, compiler, measurers, limits, plan, observer).run();
}

}  // namespace tuner
