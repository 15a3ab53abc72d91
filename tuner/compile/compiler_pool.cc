#include <fmt/format.h>

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
#include "tuner/compile/compile_key.h"
#include "tuner/compile/compile_worker.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/compiler_log.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/include_scan.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using Status = CompileResult::Status;

CompileResult failure(Status status, std::string reason) {
  CompileResult result;
  result.status = status;
  result.reason = std::move(reason);
  return result;
}

bool has_option(const std::vector<std::string>& options, const std::vector<std::string>& prefixes) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return option.starts_with(prefix); });
  });
}

// The command line of NVRTC: what every compile needs, the job's own options, the include folders
// in order.
std::vector<std::string> complete_options(const CompileJob& job, const fs::path& toolkit_dir) {
  std::vector<std::string> result{"--ptxas-options=-v"};
  if (!has_option(job.options, {"--gpu-architecture", "-arch"})) {
    result.push_back(fmt::format("--gpu-architecture=sm_{}", job.architecture));
  }
  if (!has_option(job.options, {"--std", "-std"})) result.emplace_back("--std=c++17");
  result.push_back("-I" + fs::absolute(job.source).parent_path().string());
  for (const fs::path& folder : job.include_dirs) result.push_back("-I" + folder.string());
  result.insert(result.end(), job.options.begin(), job.options.end());
  if (!toolkit_dir.empty()) {
    result.push_back("-I" + toolkit_dir.string());
    result.push_back("-I" + (toolkit_dir / "cccl").string());
  }
  return result;
}

CubinCacheOptions cache_options(const CompilerPoolOptions& options) {
  CubinCacheOptions result;
  result.max_bytes = options.cache_bytes;
  result.remember = options.use_cache;
  if (!options.use_cache) return result;
  try {
    result.folder =
        options.cache_folder.empty() ? user_cache_folder() / "cubins" : options.cache_folder;
  } catch (const TunerError&) {
    // A user without a home has a temporary folder.
  }
  return result;
}

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
  CompileResult process(const Task& task, CompileWorker& worker);
  CompileResult compile_afresh(const Task& task, const CompileKey& key, CompileWorker& worker);
  CompileResult keep(const Task& task, const CompileKey& key, const CompileReply& reply);

  const NvrtcInfo nvrtc_;
  const std::string toolkit_;
  const std::vector<std::string> process_argv_;
  const int parallelism_;
  IncludeScanner scanner_;
  CubinCache cache_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::set<ChildProcess*> busy_;  // compiling now
  std::uint64_t epoch_ = 0;       // number of cancellations; tasks of an older epoch are void
  bool closing_ = false;

  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

CompilerPool::CompilerPool(NvrtcInfo nvrtc, const CompilerPoolOptions& options)
    : nvrtc_(std::move(nvrtc)),
      toolkit_(describe_toolkit(nvrtc_)),
      process_argv_(options.process_argv.empty()
                        ? std::vector<std::string>{self_executable(), "compile-process"}
                        : options.process_argv),
      parallelism_(options.processes > 0
                       ? options.processes
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      cache_(cache_options(options)) {
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
  CompileWorker worker(process_argv_, nvrtc_.library);
  while (auto task = next_task()) {
    CompileResult result =
        is_cancelled(*task) ? failure(Status::cancelled, "cancelled") : process(*task, worker);
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

CompileResult CompilerPool::process(const Task& task, CompileWorker& worker) {
  try {
    const CompileKey key = compile_key(task.job, toolkit_, scanner_);
    if (key.complete) {
      if (auto found = cache_.find(key.text)) return std::move(*found);
    }
    return compile_afresh(task, key, worker);
  } catch (const std::exception& error) {
    return failure(Status::error, error.what());
  }
}

CompileResult CompilerPool::compile_afresh(const Task& task, const CompileKey& key,
                                           CompileWorker& worker) {
  const CompileJob& job = task.job;
  const auto& known = nvrtc_.architectures;
  if (std::find(known.begin(), known.end(), job.architecture) == known.end()) {
    return failure(Status::error, fmt::format("NVRTC {} cannot compile for sm_{}", nvrtc_.version,
                                              job.architecture));
  }
  const CompileRequest request{job.source.string(), read_file(job.source),
                               complete_options(job, nvrtc_.include_dir), job.entries, job.symbols};
  ChildProcess* attached = nullptr;
  const auto attach = [&](ChildProcess* process) {
    const std::lock_guard lock(mutex_);
    busy_.erase(std::exchange(attached, process));
    if (process != nullptr && task.epoch == epoch_) busy_.insert(process);
    return task.epoch == epoch_;
  };
  CompileWorker::Outcome outcome = worker.run(request, job.deadline, attach);
  if (outcome.kind == CompileWorker::Outcome::Kind::replied) {
    return keep(task, key, outcome.reply);
  }
  if (is_cancelled(task)) return failure(Status::cancelled, "cancelled");
  const bool timed_out = outcome.kind == CompileWorker::Outcome::Kind::timed_out;
  return failure(timed_out ? Status::timeout : Status::error, std::move(outcome.reason));
}

CompileResult CompilerPool::keep(const Task& task, const CompileKey& key,
                                 const CompileReply& reply) {
  if (!reply.ok) {
    CompileResult result = failure(Status::error, reply.reason);
    result.log = reply.log;
    result.compile_ms = reply.compile_ms;
    return result;
  }
  // A file that changed while it was compiled must not be found under what it was before.
  const bool unchanged = compile_key(task.job, toolkit_, scanner_) == key;
  return cache_.store(key.text, reply, key.complete && unchanged);
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
