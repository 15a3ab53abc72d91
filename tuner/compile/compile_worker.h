// The pool's side of one compiler process.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/compile_message.h"
#include "tuner/os/child_process.h"

namespace tuner {

// A compiler process that is started when first needed, and again after it died, was killed, or did
// its share. Used by one thread.
class CompileWorker {
 public:
  // `library`: the NVRTC that the process is to load.
  CompileWorker(std::vector<std::string> argv, std::string library);

  struct Outcome {
    enum class Kind { replied, timed_out, died } kind = Kind::died;
    CompileReply reply;
    std::string reason;  // of any but `replied`
  };
  // Runs one request; the deadline counts from when the process has got it. `attach` is called with
  // the process that may be killed from now on, and with nullptr before it goes away; it returns
  // false where the result is not wanted any more.
  Outcome run(const CompileRequest& request, std::chrono::milliseconds deadline,
              const std::function<bool(ChildProcess*)>& attach);

 private:
  std::optional<Outcome> greet();
  Outcome exchange(const CompileRequest& request, std::chrono::milliseconds deadline);
  std::string end();

  const std::vector<std::string> argv_;
  const std::string library_;
  std::optional<ChildProcess> process_;
  bool greeted_ = false;
  int jobs_done_ = 0;
};

}  // namespace tuner
