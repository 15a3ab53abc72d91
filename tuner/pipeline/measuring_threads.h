// The threads that keep the GPUs busy during a search, and the inbox through which they and the
// compilers hand their results to the search's own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "search/space.h"
#include "tuner/compile/compiler.h"
#include "tuner/measure/measurer.h"
#include "tuner/pipeline/scheduler.h"

namespace tuner {

struct SearchEvent {
  enum class Kind { compiled, measured, lost } kind = Kind::compiled;
  search::Config config;
  CompileResult compiled;
  MeasureResult measured;
  std::string problem;  // why a device was lost
};

// Thread-safe.
class SearchInbox {
 public:
  void push(SearchEvent event);
  std::optional<SearchEvent> pop(std::chrono::milliseconds limit);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<SearchEvent> events_;
};

// Jobs that wait for a GPU, and a thread for each measurer that takes them. What it is made with
// must outlive it. Its functions may be called from any thread.
class MeasuringThreads {
 public:
  MeasuringThreads(std::span<Measurer* const> measurers, SearchObserver& observer,
                   SearchInbox& inbox);
  ~MeasuringThreads();  // waits for what runs and what waits: cancel() first to be quick
  MeasuringThreads(const MeasuringThreads&) = delete;
  MeasuringThreads& operator=(const MeasuringThreads&) = delete;

  void submit(search::Config config, MeasureJob job);
  void set_incumbent(double time_ns) { incumbent_ns_ = time_ns; }
  double starved_ms();  // how long threads waited for a job, in all
  // Drops what waits and stops what runs; returns how many were dropped.
  std::size_t cancel();

 private:
  struct Work {
    search::Config config;
    MeasureJob job;
  };
  std::optional<Work> take();
  void serve(Measurer& measurer);

  SearchObserver& observer_;
  SearchInbox& inbox_;
  std::vector<Measurer*> measurers_;
  std::mutex mutex_, observer_mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool closed_ = false;
  double starved_ms_ = 0;
  std::atomic<double> incumbent_ns_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace tuner
