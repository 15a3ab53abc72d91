#include "tuner/measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "tuner/measure/memory_need.h"
#include "tuner/measure/permutation.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/trial_failure.h"

namespace tuner {
namespace {

// A throttled GPU is given so long to recover before samples are taken again.
constexpr std::chrono::milliseconds kRecovery{60};
// References are naive kernels in double, and run once.
constexpr double kReferenceFactor = 12;
constexpr double kReferenceLeastMs = 60000;

std::chrono::milliseconds milliseconds(double value) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(value, 1.0, 1e9)));
}

void check_memory(const Gpu& gpu, const MeasureSetup& setup) {
  const std::int64_t needed = device_bytes_needed(setup);
  const std::int64_t free = gpu.free_bytes();
  if (needed <= free) return;
  throw TunerError(fmt::format(
      "The problem takes {:.1f} GB of device memory (buffers, copies to restore from, reference "
      "outputs), "
      "and {:.1f} GB of {} are free. Choose a smaller one.",
      static_cast<double>(needed) * 1e-9, static_cast<double>(free) * 1e-9, gpu.profile().name));
}

// Runs `work` and adds the wall time that it took, also where it throws.
template <typename Work>
void timed(double& spent_ms, Work work) {
  struct Stopwatch {
    double& spent_ms;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Stopwatch() {
      spent_ms +=
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count();
    }
  };
  const Stopwatch stopwatch{spent_ms};
  work();
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  const Permutation order(static_cast<std::int64_t>(count), seed);
  std::vector<std::size_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<std::size_t>(order(static_cast<std::int64_t>(i)));
  }
  return result;
}

}  // namespace

struct Session::Entry {
  MeasureJob job;
  MeasureResult result;
  std::unique_ptr<PreparedJob> prepared;
  std::unique_ptr<Timer> timer;
  std::vector<double> samples;
  double verified_run_ns = 0;
  double other_gpu_ms = 0;
  int retries = 0;
  bool alive() const { return result.status == "ok"; }
};

Session::Session(MeasureSetup setup) : setup_(std::move(setup)) {
  try {
    set_up();
  } catch (const std::bad_alloc&) {
    leak();
    throw TunerError("The problem's reference outputs do not fit into the host's memory.");
  } catch (...) {
    leak();
    throw;
  }
}

void Session::set_up() {
  gpu_ = std::make_unique<Gpu>(setup_.device);
  check_memory(*gpu_, setup_);
  buffers_ = std::make_unique<ProblemBuffers>(*gpu_, setup_.buffers);
  const double reference_ms = std::max(kReferenceFactor * setup_.run_timeout_ms, kReferenceLeastMs);
  verifier_ =
      std::make_unique<Verifier>(*gpu_, *buffers_, setup_.verification, milliseconds(reference_ms));
  timing_ = std::make_unique<TimingContext>(*gpu_, *buffers_, setup_.cache,
                                            milliseconds(setup_.run_timeout_ms));
}

// Where the context is lost, nothing of it can be freed: that would fail, or wait for a kernel that
// never ends.
void Session::leak() {
  static_cast<void>(timing_.release());
  static_cast<void>(verifier_.release());
  static_cast<void>(buffers_.release());
  static_cast<void>(gpu_.release());
}

void Session::fail(MeasureResult& result, const std::string& status, const std::string& reason,
                   bool fatal) {
  result.status = status;
  result.reason = reason;
  result.verified = false;
  broken_ = broken_ || fatal;
}

// Turns whatever `work` throws into the entry's status.
void Session::attempt(Entry& entry, const std::function<void()>& work) {
  try {
    work();
  } catch (const TrialFailure& failure) {
    fail(entry.result, failure.status(), failure.what(), failure.fatal());
  } catch (const DriverError& error) {
    const bool fatal = poisons_context(error.code());
    std::string reason = error.what();
    if (fatal && entry.prepared != nullptr) reason = entry.prepared->kernels() + ": " + reason;
    fail(entry.result, fatal ? "crash" : "launch_error", reason, fatal);
  } catch (const std::exception& error) {
    fail(entry.result, "launch_error", error.what(), false);
  }
}

// The first run, by itself, so that a hang or a crash is its own and not that of a batch.
void Session::verify(Entry& entry) {
  entry.prepared = std::make_unique<PreparedJob>(*gpu_, *buffers_, entry.job);
  verifier_->before_run();
  gpu_->record(timing_->event(0));
  entry.prepared->enqueue(0);
  gpu_->record(timing_->event(1));
  gpu_->finish(timing_->run_limit());
  entry.verified_run_ns = gpu_->elapsed_ns(timing_->event(0), timing_->event(1));
  entry.result.first_ns = entry.verified_run_ns;
  entry.other_gpu_ms += entry.verified_run_ns * 1e-6;
  const RunVerdict verdict = verifier_->after_run(*entry.prepared, entry.job.full_check);
  entry.result.max_error = verdict.max_error;
  entry.result.frobenius_error = verdict.frobenius_error;
  if (!verdict.problem.empty()) throw TrialFailure("wrong", verdict.problem);
  entry.result.verified = verdict.compared;
}

// After timing: a kernel may be right the first time only (a counter that is not reset, say), and
// the runs of other sets may have written outside of theirs.
void Session::check_again(Entry& entry) {
  const std::string damage = buffers_->check_guards(0, buffers_->sets());
  if (!damage.empty()) throw TrialFailure("wrong", damage);
  verifier_->before_run();
  entry.prepared->enqueue(0);
  gpu_->finish(timing_->run_limit());
  const RunVerdict verdict = verifier_->after_run(*entry.prepared, false);
  if (verdict.problem.empty()) return;
  throw TrialFailure("wrong", "after many runs: " + verdict.problem);
}

void Session::sample(Entry& entry) {
  const double incumbent = entry.job.may_abandon ? entry.job.incumbent_ns : 0;
  entry.timer = std::make_unique<Timer>(*timing_, *entry.prepared, entry.verified_run_ns);
  Sampler sampler(setup_.sampling, incumbent);
  while (sampler.next() == Sampler::Next::more) {
    const Timer::Group group =
        entry.timer->take(sampler.group_size(entry.timer->expected_sample_ms()));
    if (timing_->clock().throttled()) {
      if (timing_->clock().may_retry(entry.retries)) {
        ++entry.retries;
        std::this_thread::sleep_for(kRecovery);
        continue;
      }
      entry.result.throttled = true;
    }
    const double each_ms = group.gpu_ms / static_cast<double>(group.samples_ns.size());
    for (const double sample_ns : group.samples_ns) sampler.add(sample_ns, each_ms);
  }
  entry.samples = sampler.samples();
  entry.result.abandoned = sampler.next() == Sampler::Next::abandon;
}

void Session::conclude(Entry& entry) {
  MeasureResult& result = entry.result;
  result.id = entry.job.id;
  result.gpu_ms = entry.other_gpu_ms;
  if (entry.timer != nullptr) {
    result.gpu_ms += entry.timer->gpu_ms();
    result.launches_per_sample = entry.timer->launches_per_sample();
  }
  const GpuState& state = timing_->clock().last();
  result.clock_mhz = state.clock_mhz;
  result.power_w = state.power_w;
  result.temperature_c = state.temperature_c;
  if (entry.alive()) summarise(std::move(entry.samples), result);
  if (!broken_) return;
  // What is left of the context can only fail to be destroyed, or wait for ever.
  static_cast<void>(entry.timer.release());
  static_cast<void>(entry.prepared.release());
}

MeasureResult Session::measure(const MeasureJob& job) {
  Entry entry;
  entry.job = job;
  attempt(entry, [&] {
    timed(entry.result.verify_ms, [&] { verify(entry); });
    timed(entry.result.sampling_ms, [&] { sample(entry); });
    if (entry.result.abandoned) return;
    timed(entry.result.recheck_ms, [&] { check_again(entry); });
  });
  conclude(entry);
  return entry.result;
}

void Session::sample_round(Entry& entry) {
  for (;;) {
    const Timer::Group group = entry.timer->take(1);
    if (timing_->clock().throttled()) {
      if (timing_->clock().may_retry(entry.retries)) {
        ++entry.retries;
        std::this_thread::sleep_for(kRecovery);
        continue;
      }
      entry.result.throttled = true;
    }
    entry.samples.insert(entry.samples.end(), group.samples_ns.begin(), group.samples_ns.end());
    return;
  }
}

std::vector<MeasureResult> Session::compare(const CompareJob& job,
                                            const std::function<void(int)>& at) {
  std::vector<Entry> entries(job.jobs.size());
  const auto step = [&](std::size_t i, const std::function<void(Entry&)>& work) {
    if (broken_ || !entries[i].alive()) return;
    at(static_cast<int>(i));
    attempt(entries[i], [&] { work(entries[i]); });
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].job = job.jobs[i];
    entries[i].job.full_check = true;
    step(i, [this](Entry& entry) {
      verify(entry);
      entry.timer = std::make_unique<Timer>(*timing_, *entry.prepared, entry.verified_run_ns);
    });
  }
  for (int round = 0; round < job.rounds; ++round) {
    const std::uint64_t seed = mixed(job.seed, static_cast<std::uint64_t>(round));
    for (const std::size_t i : shuffled(entries.size(), seed)) {
      step(i, [this](Entry& entry) { sample_round(entry); });
    }
  }
  std::vector<MeasureResult> results;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    step(i, [this](Entry& entry) { check_again(entry); });
  }
  for (Entry& entry : entries) {
    conclude(entry);
    results.push_back(entry.result);
  }
  return results;
}

}  // namespace tuner
