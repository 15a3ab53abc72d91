#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "expr/error.h"
#include "tuner/os/child_process.h"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeaderBytes = 4;
// A length beyond this is no message of ours but a broken stream.
constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = std::size_t{1} << 16;

std::array<char, kHeaderBytes> encode_length(std::size_t length) {
  std::array<char, kHeaderBytes> header{};
  for (std::size_t i = 0; i < kHeaderBytes; ++i) {
    header[i] = static_cast<char>((length >> (8 * i)) & 0xff);
  }
  return header;
}

std::size_t decode_length(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return length;
}

// What poll() waits: rounded up, so that it does not spin through the last millisecond.
int poll_timeout(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

enum class Readable { yes, no, timed_out };

Readable wait_readable(int fd, std::optional<Clock::time_point> deadline) {
  for (;;) {
    pollfd item{fd, POLLIN, 0};
    const int count = ::poll(&item, 1, poll_timeout(deadline));
    if (count > 0) return (item.revents & POLLNVAL) != 0 ? Readable::no : Readable::yes;
    if (count < 0 && errno != EINTR) return Readable::no;
    if (deadline && Clock::now() >= *deadline) return Readable::timed_out;
  }
}

// Appends what is there; false at the end of the stream.
bool read_some(int fd, std::string& pending) {
  const std::size_t old_size = pending.size();
  pending.resize(old_size + kReadBytes);
  ssize_t count = 0;
  do {
    count = ::recv(fd, pending.data() + old_size, kReadBytes, 0);
  } while (count < 0 && errno == EINTR);
  pending.resize(old_size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

}  // namespace

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    pending_ = std::move(other.pending_);
  }
  return *this;
}

Channel::~Channel() { close(); }

void Channel::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool Channel::send(std::string_view message) {
  if (message.size() > kMaxMessageBytes) throw TunerError("A message to a helper exceeds 1 GiB.");
  std::array<char, kHeaderBytes> header = encode_length(message.size());
  // sendmsg() only reads through the non-const pointer that iovec has.
  std::array<iovec, 2> parts{iovec{header.data(), header.size()},
                             iovec{const_cast<char*>(message.data()), message.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    msghdr request{};
    request.msg_iov = parts.data();
    request.msg_iovlen = parts.size();
    const ssize_t count = ::sendmsg(fd_, &request, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    auto sent = static_cast<std::size_t>(count);
    for (iovec& part : parts) {
      const std::size_t step = std::min(sent, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + step;
      part.iov_len -= step;
      sent -= step;
    }
  }
  return true;
}

Channel::Received Channel::receive(std::optional<std::chrono::milliseconds> limit) {
  std::optional<Clock::time_point> deadline;
  if (limit) deadline = Clock::now() + *limit;
  for (;;) {
    if (pending_.size() >= kHeaderBytes) {
      const std::size_t length = decode_length(pending_);
      if (length > kMaxMessageBytes) return {Outcome::closed, {}};
      if (pending_.size() - kHeaderBytes >= length) {
        std::string message = pending_.substr(kHeaderBytes, length);
        pending_.erase(0, kHeaderBytes + length);
        return {Outcome::message, std::move(message)};
      }
    }
    const Readable readable = wait_readable(fd_, deadline);
    if (readable == Readable::timed_out) return {Outcome::timed_out, {}};
    if (readable == Readable::no || !read_some(fd_, pending_)) return {Outcome::closed, {}};
  }
}

}  // namespace tuner
