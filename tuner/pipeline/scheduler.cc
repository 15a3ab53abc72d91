#include "tuner/pipeline/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "expr/error.h"
#include "models/estimate.h"
#include "tuner/pipeline/build.h"

namespace tuner {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Event {
  enum class Kind { compiled, measured, lost } kind;
  search::Config config;
  CompileResult compiled;
  MeasureResult measured;
  std::string problem;
};

// What the pools' threads hand to the search's thread.
class Inbox {
 public:
  void push(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    arrived_.notify_one();
  }
  std::optional<Event> pop(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, limit, [this] { return !events_.empty(); })) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Event> events_;
};

// Jobs that wait for a GPU, and the threads that take them.
class MeasuringThreads {
 public:
  MeasuringThreads(std::span<Measurer* const> measurers, SearchObserver& observer, Inbox& inbox)
      : observer_(observer), inbox_(inbox), measurers_(measurers.begin(), measurers.end()) {
    for (Measurer* measurer : measurers_) {
      threads_.emplace_back([this, measurer] { serve(*measurer); });
    }
  }
  ~MeasuringThreads() { close(); }
  MeasuringThreads(const MeasuringThreads&) = delete;
  MeasuringThreads& operator=(const MeasuringThreads&) = delete;

  void submit(search::Config config, MeasureJob job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(config), std::move(job)});
    changed_.notify_one();
  }
  void set_incumbent(double time_ns) { incumbent_ns_ = time_ns; }
  double starved_ms() {
    const std::lock_guard lock(mutex_);
    return starved_ms_;
  }
  // Drops what waits and stops what runs; returns how many were dropped.
  std::size_t cancel() {
    std::size_t dropped = 0;
    {
      const std::lock_guard lock(mutex_);
      dropped = waiting_.size();
      waiting_.clear();
    }
    for (Measurer* measurer : measurers_) measurer->cancel();
    return dropped;
  }

 private:
  struct Work {
    search::Config config;
    MeasureJob job;
  };

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    threads_.clear();
  }

  std::optional<Work> take() {
    std::unique_lock lock(mutex_);
    const auto begin = std::chrono::steady_clock::now();
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    starved_ms_ += milliseconds_since(begin);
    if (waiting_.empty()) return std::nullopt;
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    return work;
  }

  void serve(Measurer& measurer) {
    while (std::optional<Work> work = take()) {
      Event event{Event::Kind::measured, work->config, {}, {}, {}};
      try {
        {
          const std::lock_guard lock(observer_mutex_);
          observer_.started(work->config);
        }
        work->job.incumbent_ns = incumbent_ns_;
        event.measured = measurer.measure(work->job);
      } catch (const TunerError& error) {
        event.kind = Event::Kind::lost;
        event.problem = error.what();
      }
      inbox_.push(std::move(event));
    }
  }

  SearchObserver& observer_;
  Inbox& inbox_;
  std::vector<Measurer*> measurers_;
  std::mutex mutex_, observer_mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool closed_ = false;
  double starved_ms_ = 0;
  std::atomic<double> incumbent_ns_{0};
  std::vector<std::jthread> threads_;
};

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
    take_known();
    for (const search::Config& config : plan_.first) compile(config);
    while (true) {
      if (!stopping_ && should_stop()) stop();
      if (!stopping_) top_up();
      if (compiling_ == 0 && measuring_ == 0) break;
      if (std::optional<Event> event = inbox_.pop(std::chrono::milliseconds(100))) handle(*event);
      observer_.idle();
    }
    outcome_.starved_ms = gpu_.starved_ms();
    return std::move(outcome_);
  }

 private:
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
    const bool late =
        limits_.time.count() > 0 && std::chrono::steady_clock::now() - begin_ >= limits_.time;
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
      inbox_.push({Event::Kind::compiled, config, std::move(result), {}, {}});
    });
  }

  void handle(Event& event) {
    switch (event.kind) {
      case Event::Kind::compiled:
        --compiling_;
        compiled(event.config, event.compiled);
        break;
      case Event::Kind::measured:
        --measuring_;
        measured(event.config, event.measured);
        break;
      case Event::Kind::lost:
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
    for (const CompiledEntry& entry : entries) {
      record.registers = std::max(record.registers, entry.registers);
      record.spill_bytes = std::max(record.spill_bytes, entry.spill_bytes);
    }
    models::KernelShape shape = kernel_.shape(config, entries);
    shape.cold = cold_;
    const models::Estimate estimate = models::estimate(kernel_.device(), shape);
    const bool hopeless = incumbent_ns_ > 0 && estimate.bound_ns > incumbent_ns_;
    if (plan_.prune && (!estimate.keep || hopeless)) {
      record.trial.status = search::Status::pruned;
      record.trial.reason =
          estimate.keep ? "its roof is above the incumbent" : estimate.drop_reason;
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
  Inbox inbox_;
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
