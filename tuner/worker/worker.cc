#include "tuner/worker/worker.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <numeric>
#include <utility>

#include "expr/error.h"
#include "tuner/measure/json.h"
#include "tuner/worker/deadlines.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker_client.h"

namespace tuner {
namespace {

using Reply = WorkerClient::Reply;

// Marks the time in which a cancel() counts.
class [[nodiscard]] WorkScope {
 public:
  explicit WorkScope(WorkerClient& client) : client_(client) { client_.begin_work(); }
  ~WorkScope() { client_.end_work(); }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  WorkerClient& client_;
};

MeasureResult failed(const std::string& id, const std::string& status, const std::string& reason) {
  MeasureResult result;
  result.id = id;
  result.status = status;
  result.reason = reason;
  return result;
}

bool is_type(const Reply& reply, const char* type) {
  return reply.kind == Reply::Kind::message && reply.message.at("type") == type;
}

// The reason of an answer that is not the one waited for.
std::string reason_of(const Reply& reply) {
  if (reply.kind != Reply::Kind::message) return reply.reason;
  const auto message = reply.message.find("message");
  if (message != reply.message.end() && message->is_string()) return message->get<std::string>();
  return "the measuring process gave an answer that cannot be understood";
}

// The result of a job that such an answer came to.
MeasureResult failed(const std::string& id, const Reply& reply) {
  const char* status = reply.kind == Reply::Kind::timed_out ? "timeout" : "crash";
  return failed(id, status, reason_of(reply));
}

// Of an {at} message.
std::optional<std::size_t> index_of(const Reply& reply) {
  const auto index = reply.message.find("index");
  if (index == reply.message.end() || !index->is_number_integer()) return std::nullopt;
  return index->get<std::size_t>();
}

class Worker : public Measurer {
 public:
  Worker(MeasureSetup setup, WorkerOptions options)
      : setup_(std::move(setup)), slack_(options.slack), client_(std::move(options)) {}

  MeasureResult measure(const MeasureJob& job) override;
  std::vector<MeasureResult> compare(const CompareJob& job) override;
  void cancel() override { client_.cancel(); }

 private:
  struct Comparison;  // a compare() under way

  bool set_up();
  bool try_set_up(std::string& problem);
  MeasureResult read_result(const MeasureJob& job, const Reply& reply);
  void run_comparison(Comparison& comparison);
  bool take_results(Comparison& comparison, const Reply& reply);
  void drop(Comparison& comparison, std::optional<std::size_t> at, const Reply& reply);

  const MeasureSetup setup_;
  const std::chrono::milliseconds slack_;
  WorkerClient client_;
  bool ready_ = false;
};

struct Worker::Comparison {
  CompareJob job;
  std::vector<MeasureResult> results;
  std::vector<std::size_t> pending;  // indices into job.jobs
  int unexplained = 0;               // processes in a row that were lost outside of any job
};

bool Worker::try_set_up(std::string& problem) {
  const Reply reply =
      client_.ask({{"type", "setup"}, {"setup", setup_}}, setup_deadline(setup_, slack_));
  ready_ = is_type(reply, "ready");
  if (ready_) return true;
  problem = reason_of(reply);
  client_.end();
  return false;
}

// False where it was cancelled.
bool Worker::set_up() {
  if (ready_ && client_.running()) return true;
  std::string first;
  if (try_set_up(first)) return true;
  if (client_.cancelled()) return false;
  spdlog::warn("The measuring process could not be set up, trying again: {}", first);
  std::string second;
  if (try_set_up(second)) return true;
  if (client_.cancelled()) return false;
  throw TunerError(fmt::format("GPU {} cannot be measured on: {}", setup_.device, second),
                   ExitCode::ended_early);
}

MeasureResult Worker::read_result(const MeasureJob& job, const Reply& reply) {
  if (is_type(reply, "result")) {
    try {
      MeasureResult result = reply.message.at("result").get<MeasureResult>();
      if (reply.message.at("broken").get<bool>()) client_.end();
      return result;
    } catch (const nlohmann::json::exception&) {
      client_.end();
      return failed(job.id, reply);
    }
  }
  client_.end();
  return failed(job.id, reply);
}

MeasureResult Worker::measure(const MeasureJob& job) {
  const WorkScope scope(client_);
  if (!set_up()) return failed(job.id, "crash", "cancelled");
  const Reply reply =
      client_.ask({{"type", "measure"}, {"job", job}}, measure_deadline(setup_, slack_));
  return read_result(job, reply);
}

// Takes the results of the process; false where some jobs are still to be done.
bool Worker::take_results(Comparison& comparison, const Reply& reply) {
  const auto results = reply.message.at("results").get<std::vector<MeasureResult>>();
  const bool broken = reply.message.at("broken").get<bool>();
  if (results.size() != comparison.pending.size()) throw TunerError(reason_of(reply));
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t index = comparison.pending[i];
    comparison.results[index] = results[i];
    // What one job broke, the others have to do again.
    const bool broke_it = results[i].status == "crash" || results[i].status == "timeout";
    if (broken && !broke_it) left.push_back(index);
  }
  if (broken) client_.end();
  // A process that breaks with no job at fault would be asked for ever.
  if (left.size() == comparison.pending.size()) ++comparison.unexplained;
  comparison.pending = std::move(left);
  return comparison.pending.empty();
}

// The process was lost while it worked on job `at` of those it had, or on none.
void Worker::drop(Comparison& comparison, std::optional<std::size_t> at, const Reply& reply) {
  client_.end();
  if (!at || *at >= comparison.pending.size()) {
    ++comparison.unexplained;
    return;
  }
  const std::size_t index = comparison.pending[*at];
  comparison.results[index] = failed(comparison.job.jobs[index].id, reply);
  comparison.pending.erase(comparison.pending.begin() + static_cast<std::ptrdiff_t>(*at));
  comparison.unexplained = 0;
}

// One process's attempt at all pending jobs.
void Worker::run_comparison(Comparison& comparison) {
  CompareJob job = comparison.job;
  job.jobs.clear();
  for (const std::size_t index : comparison.pending) job.jobs.push_back(comparison.job.jobs[index]);
  const std::chrono::milliseconds limit = measure_deadline(setup_, slack_);
  std::optional<std::size_t> at;
  Reply reply = client_.ask({{"type", "compare"}, {"job", job}}, limit);
  while (is_type(reply, "at")) {
    at = index_of(reply);
    reply = client_.next(limit);
  }
  if (reply.kind == Reply::Kind::cancelled) return;
  if (!is_type(reply, "compared")) return drop(comparison, at, reply);
  try {
    take_results(comparison, reply);
  } catch (const std::exception&) {
    drop(comparison, at, reply);
  }
}

std::vector<MeasureResult> Worker::compare(const CompareJob& job) {
  const WorkScope scope(client_);
  Comparison comparison{job, std::vector<MeasureResult>(job.jobs.size()), {}, 0};
  comparison.pending.resize(job.jobs.size());
  std::iota(comparison.pending.begin(), comparison.pending.end(), std::size_t{0});
  while (!comparison.pending.empty()) {
    client_.end();
    if (!set_up() || client_.cancelled()) break;
    run_comparison(comparison);
    if (client_.cancelled()) break;
    if (comparison.unexplained >= 2) {
      throw TunerError(
          fmt::format("GPU {} was lost twice while finalists were compared.", setup_.device),
          ExitCode::ended_early);
    }
  }
  for (const std::size_t index : comparison.pending) {
    comparison.results[index] = failed(job.jobs[index].id, "crash", "cancelled");
  }
  return comparison.results;
}

}  // namespace

std::unique_ptr<Measurer> make_worker(MeasureSetup setup, WorkerOptions options) {
  return std::make_unique<Worker>(std::move(setup), std::move(options));
}

std::unique_ptr<Measurer> make_worker(MeasureSetup setup) {
  return make_worker(std::move(setup), WorkerOptions{});
}

DeviceList list_devices(const WorkerOptions& options) {
  DeviceList list;
  try {
    WorkerClient client(options);
    const Reply reply = client.ask({{"type", "devices"}}, options.slack);
    if (!is_type(reply, "devices")) {
      list.problem = fmt::format("The GPUs could not be listed: {}.", reason_of(reply));
      return list;
    }
    list.devices = reply.message.at("devices").get<std::vector<LiveDevice>>();
    list.problem = reply.message.at("problem").get<std::string>();
    client.end();
  } catch (const std::exception& error) {
    list.devices.clear();
    list.problem = fmt::format("The GPUs could not be listed: {}", error.what());
  }
  return list;
}

DeviceList list_devices() { return list_devices(WorkerOptions{}); }

}  // namespace tuner
