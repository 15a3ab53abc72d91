#include "tuner/pipeline/measuring_threads.h"

#include <utility>

#include "expr/error.h"

namespace tuner {

void SearchInbox::push(SearchEvent event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  arrived_.notify_one();
}

std::optional<SearchEvent> SearchInbox::pop(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, limit, [this] { return !events_.empty(); })) return std::nullopt;
  SearchEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

MeasuringThreads::MeasuringThreads(std::span<Measurer* const> measurers, SearchObserver& observer,
                                   SearchInbox& inbox)
    : observer_(observer), inbox_(inbox), measurers_(measurers.begin(), measurers.end()) {
  for (Measurer* measurer : measurers_) {
    threads_.emplace_back([this, measurer] { serve(*measurer); });
  }
}

MeasuringThreads::~MeasuringThreads() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  threads_.clear();
}

void MeasuringThreads::submit(search::Config config, MeasureJob job) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({std::move(config), std::move(job)});
  changed_.notify_one();
}

double MeasuringThreads::starved_ms() {
  const std::lock_guard lock(mutex_);
  return starved_ms_;
}

std::size_t MeasuringThreads::cancel() {
  std::size_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    dropped = waiting_.size();
    waiting_.clear();
  }
  for (Measurer* measurer : measurers_) measurer->cancel();
  return dropped;
}

std::optional<MeasuringThreads::Work> MeasuringThreads::take() {
  std::unique_lock lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  starved_ms_ +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (waiting_.empty()) return std::nullopt;
  Work work = std::move(waiting_.front());
  waiting_.pop_front();
  return work;
}

void MeasuringThreads::serve(Measurer& measurer) {
  while (std::optional<Work> work = take()) {
    SearchEvent event{SearchEvent::Kind::measured, work->config, {}, {}, {}};
    try {
      {
        const std::lock_guard lock(observer_mutex_);
        observer_.started(work->config);
      }
      work->job.incumbent_ns = incumbent_ns_;
      event.measured = measurer.measure(work->job);
    } catch (const TunerError& error) {
      event.kind = SearchEvent::Kind::lost;
      event.problem = error.what();
    }
    inbox_.push(std::move(event));
  }
}

}  // namespace tuner
