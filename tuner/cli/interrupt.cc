#include "tuner/cli/interrupt.h"

#include <csignal>

namespace tuner {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> interrupted{false};

void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() { return interrupted; }

}  // namespace tuner
