#include "tuner/compile/compile_worker.h"

#include <fmt/format.h>

#include "expr/error.h"

namespace tuner {
namespace {

using namespace std::chrono_literals;
using Kind = CompileWorker::Outcome::Kind;

// To start, and to load NVRTC from a cold disk.
constexpr std::chrono::milliseconds kStartLimit = 60s;
// After its channel closed, a process ends by itself within a moment, or is stuck.
constexpr std::chrono::milliseconds kEndGrace = 500ms;
// NVRTC keeps some memory with each compile; a fresh process gives it back.
constexpr int kJobsOfAProcess = 200;

}  // namespace

CompileWorker::CompileWorker(std::vector<std::string> argv, std::string library)
    : argv_(std::move(argv)), library_(std::move(library)) {}

CompileWorker::Outcome CompileWorker::run(const CompileRequest& request,
                                          std::chrono::milliseconds deadline,
                                          const std::function<bool(ChildProcess*)>& attach) {
  if (jobs_done_ >= kJobsOfAProcess) end();
  // One that died since its last job must not cost this one.
  if (process_ && process_->channel().receive(0ms).outcome != Channel::Outcome::timed_out) end();
  try {
    if (!process_) {
      process_ = ChildProcess::spawn(argv_, {{"CUDA_CACHE_DISABLE", "1"}});
    }
  } catch (const TunerError& error) {
    return {Kind::died, {}, error.what()};
  }
  if (!attach(&*process_)) return {Kind::died, {}, "cancelled"};
  Outcome outcome = greet().value_or(Outcome{Kind::replied, {}, {}});
  if (outcome.kind == Kind::replied) outcome = exchange(request, deadline);
  // One that is not wanted any more may have been killed just now.
  const bool wanted = attach(nullptr);
  const bool started = greeted_;
  if (outcome.kind == Kind::replied && wanted) return outcome;
  if (outcome.kind == Kind::timed_out) process_->kill();
  const std::string how = end();
  if (outcome.kind == Kind::died && outcome.reason.empty()) {
    outcome.reason =
        fmt::format("the compiler process {}: {}", started ? "died" : "did not start", how);
  }
  return outcome;
}

// Nullopt where the process is ready.
std::optional<CompileWorker::Outcome> CompileWorker::greet() {
  if (greeted_) return std::nullopt;
  Channel& channel = process_->channel();
  if (!channel.send(pack({{"library", library_}}))) return Outcome{};
  const Channel::Received received = channel.receive(kStartLimit);
  if (received.outcome == Channel::Outcome::closed) return Outcome{};
  if (received.outcome == Channel::Outcome::timed_out) {
    return Outcome{Kind::died, {}, "the compiler process did not answer when it was started"};
  }
  try {
    const std::string problem = unpack(received.message).at("problem");
    greeted_ = problem.empty();
    if (greeted_) return std::nullopt;
    return Outcome{Kind::died, {}, problem};
  } catch (const std::exception& error) {
    return Outcome{Kind::died, {}, fmt::format("the compiler process is none: {}", error.what())};
  }
}

CompileWorker::Outcome CompileWorker::exchange(const CompileRequest& request,
                                               std::chrono::milliseconds deadline) {
  ++jobs_done_;
  Channel& channel = process_->channel();
  if (!channel.send(pack(request))) return {};
  const Channel::Received received = channel.receive(deadline);
  if (received.outcome == Channel::Outcome::closed) return {};
  if (received.outcome == Channel::Outcome::timed_out) {
    return {Kind::timed_out,
            {},
            fmt::format("the compiler took longer than {:.3g} s",
                        std::chrono::duration<double>(deadline).count())};
  }
  try {
    return {Kind::replied, unpack(received.message).get<CompileReply>(), {}};
  } catch (const std::exception& error) {
    return {Kind::died, {}, fmt::format("the compiler process sent no answer: {}", error.what())};
  }
}

// Says how it ended.
std::string CompileWorker::end() {
  std::string how = process_ ? process_->wait(kEndGrace) : std::string("not running");
  process_.reset();
  greeted_ = false;
  jobs_done_ = 0;
  return how;
}

}  // namespace tuner
