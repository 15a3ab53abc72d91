#include "tuner/os/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "expr/error.h"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

// How long a child may take to end by itself once its channel is closed.
constexpr std::chrono::seconds kOrphanGrace{3};
constexpr std::chrono::milliseconds kReapInterval{2};

// posix_spawn's settings, freed at the end of the scope.
class [[nodiscard]] SpawnSettings {
 public:
  explicit SpawnSettings(int channel_fd) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // The channel first: it may itself be one of the descriptors that are replaced below.
    posix_spawn_file_actions_adddup2(&actions_, channel_fd, kChannelFd);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kChannelFd + 1);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGPIPE, SIGTERM, SIGHUP, SIGQUIT}) {
      sigaddset(&defaults, signal);
    }
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

bool is_replaced(std::string_view entry,
                 const std::vector<std::pair<std::string, std::string>>& replacements) {
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::any_of(replacements.begin(), replacements.end(),
                     [name](const auto& replacement) { return replacement.first == name; });
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry, additions)) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : additions) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::pair<Channel, Channel> make_channels() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    throw TunerError(
        fmt::format("Cannot make a channel: {}.", std::generic_category().message(errno)));
  }
  return {Channel(fds[0]), Channel(fds[1])};
}

// Waits for the end and leaves it to be reaped; false where `limit` is over first.
bool wait_for_end(pid_t pid, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  for (;;) {
    siginfo_t info{};
    const int status = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG);
    if (status != 0 && errno != EINTR) return true;  // nothing is left to wait for
    if (status == 0 && info.si_pid == pid) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kReapInterval);
  }
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    const char* name = ::sigdescr_np(WTERMSIG(status));
    return fmt::format("killed by signal {} ({})", WTERMSIG(status),
                       name != nullptr ? name : "unknown");
  }
  return fmt::format("ended with status {}", status);
}

// Kills this process once the parent's end of the channel is gone. PR_SET_PDEATHSIG would not do:
// it fires when the *thread* that spawned us ends.
void end_with_channel(int fd) {
  pollfd item{fd, 0, 0};
  while (::poll(&item, 1, -1) < 0 && errno == EINTR) {
  }
  std::this_thread::sleep_for(kOrphanGrace);
  ::kill(::getpid(), SIGKILL);
}

}  // namespace

struct ChildProcess::Process {
  std::mutex mutex;
  pid_t pid = -1;
};

ChildProcess::ChildProcess(std::unique_ptr<Process> process, Channel channel)
    : process_(std::move(process)), channel_(std::move(channel)) {}
ChildProcess::ChildProcess(ChildProcess&& other) noexcept = default;

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    end();
    process_ = std::move(other.process_);
    channel_ = std::move(other.channel_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { end(); }

ChildProcess ChildProcess::spawn(
    const std::vector<std::string>& argv,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  auto [ours, theirs] = make_channels();
  std::vector<std::string> arguments = argv;
  std::vector<std::string> variables = merged_environment(environment);
  const SpawnSettings settings(theirs.fd());
  auto process = std::make_unique<Process>();
  const int error =
      ::posix_spawn(&process->pid, argv.at(0).c_str(), settings.actions(), settings.attributes(),
                    pointers(arguments).data(), pointers(variables).data());
  if (error != 0) {
    throw TunerError(
        fmt::format("Cannot start {}: {}.", argv.at(0), std::generic_category().message(error)));
  }
  return {std::move(process), std::move(ours)};
}

pid_t ChildProcess::pid() const {
  if (process_ == nullptr) return -1;
  const std::lock_guard lock(process_->mutex);
  return process_->pid;
}

void ChildProcess::kill() noexcept {
  if (process_ == nullptr) return;
  const std::lock_guard lock(process_->mutex);
  if (process_->pid > 0) ::kill(process_->pid, SIGKILL);
}

std::string ChildProcess::wait(std::chrono::milliseconds grace) {
  channel_.close();
  const pid_t child = pid();
  if (child < 0) return "not running";
  if (!wait_for_end(child, grace)) kill();
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const std::lock_guard lock(process_->mutex);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  process_->pid = -1;
  return describe_end(status);
}

void ChildProcess::end() noexcept {
  if (process_ == nullptr) return;
  kill();
  wait(std::chrono::milliseconds(0));
}

Channel adopt_channel() {
  struct stat info {};
  if (::fstat(kChannelFd, &info) != 0 || !S_ISSOCK(info.st_mode)) {
    throw TunerError("This command is one that the tuner starts by itself; it has no use by hand.");
  }
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);
  std::signal(SIGINT, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  // Detached: it lives as long as the process. It watches a descriptor of its own, since the
  // channel may be closed, and its number reused, before the end.
  const int watched = ::fcntl(kChannelFd, F_DUPFD_CLOEXEC, 0);
  std::thread(end_with_channel, watched).detach();
  return Channel(kChannelFd);
}

}  // namespace tuner
