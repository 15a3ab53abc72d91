// The parent's side of measuring processes.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/os/child_process.h"
#include "tuner/worker/worker.h"

namespace tuner {

// What tests set otherwise.
struct WorkerOptions {
  // The command line of a measuring process; empty: {self_executable(), "worker-process"}.
  std::vector<std::string> argv;
  // What an answer may take beyond the times that the setup allows: starting, loading, copying.
  std::chrono::milliseconds slack{60000};
};

// One measuring process: started when first asked, gone after an answer that failed. For one thread
// but for cancel().
class WorkerClient {
 public:
  explicit WorkerClient(WorkerOptions options);

  struct Reply {
    enum class Kind { message, died, timed_out, cancelled } kind = Kind::died;
    nlohmann::json message;
    std::string reason;  // of any but `message`
  };
  // Starts the process where there is none. Does not throw for what the process does; throws
  // TunerError where it cannot be started.
  Reply ask(const nlohmann::json& request, std::chrono::milliseconds limit);
  // Another message in answer to the same request.
  Reply next(std::chrono::milliseconds limit);
  bool running() const { return child_.has_value(); }
  // Ends the process, by force where it does not by itself. Says how it ended.
  std::string end();

  // Between these a cancel() counts; it kills the process. cancel() may come from any thread.
  void begin_work();
  void end_work();
  void cancel();
  bool cancelled() const;

 private:
  void start();
  Reply lost(Reply::Kind kind, const std::string& reason);

  const WorkerOptions options_;
  mutable std::mutex
      mutex_;  // guards cancelled_, busy_, and child_ against being replaced while it is killed
  bool busy_ = false;
  bool cancelled_ = false;
  std::optional<ChildProcess> child_;
};

std::unique_ptr<Measurer> make_worker(MeasureSetup setup, WorkerOptions options);
DeviceList list_devices(const WorkerOptions& options);

}  // namespace tuner
