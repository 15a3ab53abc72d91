#include "tuner/measure/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tuner {

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t pieces = count <= 0 ? 0 : (count - 1) / grain + 1;
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::int64_t piece = next++; piece < pieces; piece = next++) {
      try {
        body(piece * grain, std::min(count, (piece + 1) * grain));
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = pieces;
      }
    }
  };
  const std::int64_t cores = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 16);
  {
    std::vector<std::jthread> helpers;
    for (std::int64_t i = 1; i < std::min(cores, pieces); ++i) helpers.emplace_back(work);
    work();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace tuner
