// How a configuration fails inside a measuring process. Thrown and caught within this folder; the
// result that leaves it is plain data.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tuner {

class TrialFailure : public std::runtime_error {
 public:
  // `status` as in MeasureResult. `fatal`: nothing can be measured in this process any more.
  TrialFailure(std::string status, const std::string& reason, bool fatal = false)
      : std::runtime_error(reason), status_(std::move(status)), fatal_(fatal) {}
  const std::string& status() const { return status_; }
  bool fatal() const { return fatal_; }

 private:
  std::string status_;
  bool fatal_;
};

}  // namespace tuner
