#include "tuner/worker/worker_client.h"

#include <fmt/format.h>

#include <utility>

#include "expr/error.h"
#include "tuner/os/paths.h"
#include "tuner/worker/message.h"

namespace tuner {
namespace {

// Freeing the GPU's memory takes a while, and a process that was asked to end does so by itself.
constexpr std::chrono::milliseconds kGrace{2000};

}  // namespace

WorkerClient::WorkerClient(WorkerOptions options) : options_(std::move(options)) {}

void WorkerClient::begin_work() {
  const std::lock_guard lock(mutex_);
  busy_ = true;
  cancelled_ = false;
}

void WorkerClient::end_work() {
  const std::lock_guard lock(mutex_);
  busy_ = false;
}

void WorkerClient::cancel() {
  const std::lock_guard lock(mutex_);
  if (!busy_) return;
  cancelled_ = true;
  if (child_) child_->kill();
}

bool WorkerClient::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void WorkerClient::start() {
  std::vector<std::string> argv = options_.argv;
  if (argv.empty()) argv = {self_executable().string(), "worker-process"};
  ChildProcess child = ChildProcess::spawn(argv);
  const std::lock_guard lock(mutex_);
  child_.emplace(std::move(child));
  if (cancelled_) child_->kill();
}

std::string WorkerClient::end() {
  if (!child_) return {};
  const std::string how = child_->wait(kGrace);
  const std::lock_guard lock(mutex_);
  child_.reset();
  return how;
}

WorkerClient::Reply WorkerClient::lost(Reply::Kind kind, const std::string& reason) {
  if (kind != Reply::Kind::died) child_->kill();
  const std::string how = end();
  if (cancelled()) return {Reply::Kind::cancelled, {}, "cancelled"};
  if (kind != Reply::Kind::died || !reason.empty()) return {kind, {}, reason};
  return {kind, {}, fmt::format("the measuring process ended: {}", how)};
}

WorkerClient::Reply WorkerClient::ask(const nlohmann::json& request,
                                      std::chrono::milliseconds limit) {
  if (!child_) start();
  if (!child_->channel().send(to_message(request))) return lost(Reply::Kind::died, {});
  return next(limit);
}

WorkerClient::Reply WorkerClient::next(std::chrono::milliseconds limit) {
  const Channel::Received received = child_->channel().receive(limit);
  if (received.outcome == Channel::Outcome::closed) return lost(Reply::Kind::died, {});
  if (received.outcome == Channel::Outcome::timed_out) {
    return lost(Reply::Kind::timed_out, fmt::format("no answer within {} ms", limit.count()));
  }
  try {
    return {Reply::Kind::message, from_message(received.message), {}};
  } catch (const TunerError& error) {
    child_->kill();
    return lost(Reply::Kind::died, error.what());
  }
}

}  // namespace tuner
