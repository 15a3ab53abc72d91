#include "tuner/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Progress::Progress(const search::Space& space, const SearchLimits& limits, bool quiet)
    : space_(space),
      limits_(limits),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      shown_(begin_) {}

Progress::~Progress() {
  if (!quiet_ && terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::finished(const TrialRecord& record) {
  switch (record.trial.status) {
    case search::Status::pruned:
      ++pruned_;
      return;
    case search::Status::ok:
      break;
    default:
      ++failed_;
      return;
  }
  ++measured_;
  if (best_ns_ > 0 && best_ns_ <= record.trial.time_ns) return;
  best_ns_ = record.trial.time_ns;
  best_ = space_.id(record.trial.config);
}

double Progress::share_done() const {
  double share = 0;
  if (limits_.budget > 0)
    share = static_cast<double>(measured_ + failed_) / static_cast<double>(limits_.budget);
  if (limits_.time.count() > 0) {
    share =
        std::max(share, seconds_since(begin_) * 1000 / static_cast<double>(limits_.time.count()));
  }
  return std::min(share, 1.0);
}

std::string Progress::remaining() const {
  const double share = share_done();
  if (share < 0.02) return "";
  return fmt::format(", about {:.0f} s left", seconds_since(begin_) * (1 - share) / share);
}

std::string Progress::line() const {
  std::string text =
      fmt::format("{} measured, {} failed, {} pruned{}", measured_, failed_, pruned_, remaining());
  if (best_ns_ > 0) text += fmt::format("; best {:.4g} ms {}", best_ns_ * 1e-6, best_);
  return text;
}

void Progress::idle() {
  if (quiet_ || seconds_since(shown_) < (terminal_ ? 0.2 : 5.0)) return;
  shown_ = Clock::now();
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line().substr(0, 150));
  } else {
    fmt::print(stderr, "{}\n", line());
  }
  std::fflush(stderr);
}

}  // namespace tuner
