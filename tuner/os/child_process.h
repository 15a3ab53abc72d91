// A helper process of ours (a compiler or a worker), started by posix_spawn from our own executable, and
// the channel of messages to it. The child gets the channel as file descriptor kChannelFd.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace tuner {

inline constexpr int kChannelFd = 3;

// Whole messages over a socket: a 4-byte little-endian length, then the bytes. Move-only owner of the fd.
// One thread sends and one receives at a time; interrupt() may come from any thread.
class Channel {
 public:
  explicit Channel(int fd) noexcept : fd_(fd) {}
  Channel(Channel&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  // False where the other side is gone (never raises SIGPIPE).
  bool send(std::string_view message);
  enum class Outcome { message, closed, timed_out };
  struct Received {
    Outcome outcome = Outcome::closed;
    std::string message;
  };
  // Waits until a whole message is there, the other side closes, or the time is over (nullopt: for ever).
  Received receive(std::optional<std::chrono::milliseconds> limit);
  void close() noexcept;
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

class ChildProcess {
 public:
  // Starts `argv[0]` with a fresh channel as fd 3. `environment` is added to (or replaces parts of) our
  // own. stdin is /dev/null, stdout goes to our stderr. The child ignores SIGINT (so that Ctrl-C is ours to
  // handle) and dies with us. Throws TunerError where it cannot be started.
  static ChildProcess spawn(const std::vector<std::string>& argv,
                            const std::vector<std::pair<std::string, std::string>>& environment = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // kills and reaps

  Channel& channel() { return channel_; }
  pid_t pid() const { return pid_; }
  void kill() noexcept;  // SIGKILL; thread-safe with a concurrent receive(), which then sees `closed`
  // Reaps, and says how it ended: "exit code 1", "killed by signal 11 (Segmentation fault)". Kills first
  // where it has not ended within `grace`.
  std::string wait(std::chrono::milliseconds grace);

 private:
  ChildProcess(pid_t pid, Channel channel) : pid_(pid), channel_(std::move(channel)) {}
  pid_t pid_ = -1;
  Channel channel_;
};

// For the child's main(): ignores SIGINT, asks to be killed when the parent dies, returns the channel.
Channel adopt_channel();

}  // namespace tuner
