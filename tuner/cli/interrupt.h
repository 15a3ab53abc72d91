// Ctrl-C and SIGTERM as a flag that a search looks at. A second one ends the program at once.
#pragma once

#include <atomic>

namespace tuner {

class [[nodiscard]] InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();  // puts the former handlers back
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static const std::atomic<bool>& flag();
};

}  // namespace tuner
