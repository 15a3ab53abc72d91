// The one exception of the project: a broken request or environment. A bad configuration is data,
// not an exception (see search::Status). Only main.cc catches TunerError and turns it into an exit
// code.
#pragma once

#include <stdexcept>
#include <string>

namespace tuner {

enum class ExitCode : int {
  ok = 0,
  bad_input = 2,        // usage, or a file or value that cannot be used
  no_valid_config = 3,  // every configuration failed or was excluded
  no_device = 4,        // no GPU, no driver, or no NVRTC
  ended_early = 5,      // interrupt or lost device; results are saved
  interrupted = 130,    // interrupt with nothing to save
};

class TunerError : public std::runtime_error {
 public:
  explicit TunerError(const std::string& message, ExitCode code = ExitCode::bad_input)
      : std::runtime_error(message), code_(code) {}
  ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

}  // namespace tuner
