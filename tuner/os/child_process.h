// A helper process of ours (a compiler or a worker), started by posix_spawn from our own
// executable, and the channel of messages to it. The child gets the channel as file descriptor
// kChannelFd.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner {

inline constexpr int kChannelFd = 3;

// Whole messages over a socket: a 4-byte little-endian length, then the bytes. Move-only owner of
// the fd. One thread sends and one receives at a time; what ends a blocked one is the other side's
// end.
class Channel {
 public:
  explicit Channel(int fd) noexcept : fd_(fd) {}
  Channel(Channel&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), pending_(std::move(other.pending_)) {}
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  // False where the other side is gone (never raises SIGPIPE).
  bool send(std::string_view message);
  enum class Outcome { message, closed, timed_out };
  struct Received {
    Outcome outcome = Outcome::closed;
    std::string message;
  };
  // Waits until a whole message is there, the other side closes, or the time is over (nullopt: for
  // ever). The part of a message that came before the time was over is kept for the next call.
  Received receive(std::optional<std::chrono::milliseconds> limit);
  void close() noexcept;
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::string pending_;  // received, and not yet handed out
};

class ChildProcess {
 public:
  // Starts `argv[0]`, a path, with a fresh channel as fd 3. `environment` is added to (or replaces
  // parts of) our own. stdin is /dev/null, stdout goes to our stderr, no other file is inherited.
  // SIGINT starts blocked (so that Ctrl-C is ours to handle) until adopt_channel() ignores it.
  // Throws TunerError where it cannot be started. Any thread may spawn; the child does not depend
  // on that thread's life.
  static ChildProcess spawn(
      const std::vector<std::string>& argv,
      const std::vector<std::pair<std::string, std::string>>& environment = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // kills and reaps

  Channel& channel() { return channel_; }
  pid_t pid() const;  // -1 once reaped
  // SIGKILL. Thread-safe with a concurrent receive(), which then sees `closed`, and with wait().
  void kill() noexcept;
  // Closes the channel (which asks the child to end) and reaps. Says how it ended: "exit code 1",
  // "killed by signal 11 (Segmentation fault)". Kills first where it has not ended within `grace`.
  std::string wait(std::chrono::milliseconds grace);

 private:
  struct Process;  // the pid, and the lock that keeps kill() from a pid that was given to another
  ChildProcess(std::unique_ptr<Process> process, Channel channel);
  void end() noexcept;

  std::unique_ptr<Process> process_;
  Channel channel_;
};

// For the child's main(): ignores SIGINT, and sees to it that this process is killed soon after the
// parent closes the channel or dies, whatever it is doing then. Returns the channel; call it once.
// Throws TunerError where fd 3 is no channel: the command was typed by hand.
Channel adopt_channel();

}  // namespace tuner
