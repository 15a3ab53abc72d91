// What a search shows on stderr while it runs: a line that renews itself on a terminal, else a line
// now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "tuner/pipeline/scheduler.h"

namespace tuner {

class Progress : public SearchObserver {
 public:
  // `limits` tells the share that is done; both may be without limit.
  Progress(const search::Space& space, const SearchLimits& limits, bool quiet);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void finished(const TrialRecord& record) override;
  void idle() override;

 private:
  std::string line() const;
  std::string remaining() const;
  double share_done() const;  // 0..1; 0 where there is no limit

  const search::Space& space_;
  const SearchLimits& limits_;
  bool quiet_, terminal_;
  std::chrono::steady_clock::time_point begin_, shown_;
  std::size_t measured_ = 0, failed_ = 0, pruned_ = 0;
  double best_ns_ = 0;
  std::string best_;
};

}  // namespace tuner
