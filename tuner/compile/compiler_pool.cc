#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "expr/error.h"
#include "tuner/compile/cached_compile.h"
#include "tuner/compile/compile_worker.h"
#include "tuner/compile/compiler.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

using Status = CompileResult::Status;

// Each thread of the pool has a compiler process of its own, and does the looking up and the
// waiting for it.
class CompilerPool final : public Compiler {
 public:
  CompilerPool(NvrtcInfo nvrtc, const CompilerPoolOptions& options);
  ~CompilerPool() override;
  CompilerPool(const CompilerPool&) = delete;
  CompilerPool& operator=(const CompilerPool&) = delete;

  void submit(CompileJob job, std::function<void(CompileResult)> done) override;
  void cancel() override;
  int parallelism() const override { return parallelism_; }

 private:
  struct Task {
    CompileJob job;
    std::function<void(CompileResult)> done;
    std::uint64_t epoch = 0;
  };

  void serve();
  std::optional<Task> next_task();
  bool is_cancelled(const Task& task);
  FreshCompile compile_afresh(const Task& task, const CompileRequest& request,
                              CompileWorker& worker);

  CachedCompile cached_;
  const std::vector<std::string> process_argv_;
  const int parallelism_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::set<ChildProcess*> busy_;  // compiling now
  std::uint64_t epoch_ = 0;       // number of cancellations; tasks of an older epoch are void
  bool closing_ = false;

  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

CompilerPool::CompilerPool(NvrtcInfo nvrtc, const CompilerPoolOptions& options)
    : cached_(std::move(nvrtc), options),
      process_argv_(options.process_argv.empty()
                        ? std::vector<std::string>{self_executable(), "compile-process"}
                        : options.process_argv),
      parallelism_(options.processes > 0
                       ? options.processes
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  for (int i = 0; i < parallelism_; ++i) threads_.emplace_back([this] { serve(); });
}

CompilerPool::~CompilerPool() {
  cancel();
  const std::lock_guard lock(mutex_);
  closing_ = true;
  wake_.notify_all();
}

void CompilerPool::submit(CompileJob job, std::function<void(CompileResult)> done) {
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(job), std::move(done), epoch_});
  wake_.notify_one();
}

// What is queued stays there: the threads come to it soon, and say that it was cancelled.
void CompilerPool::cancel() {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  for (ChildProcess* process : busy_) process->kill();
}

void CompilerPool::serve() {
  CompileWorker worker(process_argv_, cached_.nvrtc().library);
  while (auto task = next_task()) {
    CompileResult result = is_cancelled(*task)
                               ? compile_failure(Status::cancelled, "cancelled")
                               : cached_.run(task->job, [&](const CompileRequest& request) {
                                   return compile_afresh(*task, request, worker);
                                 });
    task->done(std::move(result));
  }
}

std::optional<CompilerPool::Task> CompilerPool::next_task() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Task task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

bool CompilerPool::is_cancelled(const Task& task) {
  const std::lock_guard lock(mutex_);
  return task.epoch != epoch_;
}

FreshCompile CompilerPool::compile_afresh(const Task& task, const CompileRequest& request,
                                          CompileWorker& worker) {
  ChildProcess* attached = nullptr;
  const auto attach = [&](ChildProcess* process) {
    const std::lock_guard lock(mutex_);
    busy_.erase(std::exchange(attached, process));
    if (process != nullptr && task.epoch == epoch_) busy_.insert(process);
    return task.epoch == epoch_;
  };
  CompileWorker::Outcome outcome = worker.run(request, task.job.deadline, attach);
  if (outcome.kind == CompileWorker::Outcome::Kind::replied) return {std::move(outcome.reply), {}};
  if (is_cancelled(task)) return {{}, compile_failure(Status::cancelled, "cancelled")};
  const bool timed_out = outcome.kind == CompileWorker::Outcome::Kind::timed_out;
  return {{},
          compile_failure(timed_out ? Status::timeout : Status::error, std::move(outcome.reason))};
}

}  // namespace

std::unique_ptr<Compiler> make_compiler_pool(const CompilerPoolOptions& options) {
  NvrtcInfo nvrtc = nvrtc_info();
  if (!nvrtc.found) throw TunerError(nvrtc.problem, ExitCode::no_device);
  return std::make_unique<CompilerPool>(std::move(nvrtc), options);
}

CompileResult compile_and_wait(Compiler& compiler, CompileJob job) {
  std::promise<CompileResult> promise;
  std::future<CompileResult> future = promise.get_future();
  compiler.submit(std::move(job),
                  [&promise](CompileResult result) { promise.set_value(std::move(result)); });
  return future.get();
}

}  // namespace tuner
