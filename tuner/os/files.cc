#include "tuner/os/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "expr/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0666;  // less the umask
constexpr std::size_t kReadBytes = std::size_t{1} << 16;
constexpr std::size_t kTrialBytes = 4096;

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  throw TunerError(fmt::format("Cannot {} {}: {}.", action, path.string(),
                               std::generic_category().message(error)));
}

// Owns a file descriptor.
class File {
 public:
  explicit File(int fd) noexcept : fd_(fd) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int get() const { return fd_; }
  bool close() noexcept { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Removes the file it names unless told that it has become the real one.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

// A name in the same folder that no other writer takes. It does not hold the file's own name, which
// may already have the greatest length.
fs::path temporary_name(const fs::path& folder) {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return folder / fmt::format(".tuner-{}-{:016x}.tmp", ::getpid(), number);
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void write_in_place(const fs::path& path, std::string_view content) {
  File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), content) || !file.close()) {
    fail("write", path, errno);
  }
}

// Errors are named after `target`, the file that the user knows of.
void write_new_file(const fs::path& path, const fs::path& target, std::string_view content) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (file.get() < 0 || !write_all(file.get(), content) || ::fsync(file.get()) != 0 ||
      !file.close()) {
    fail("write", target, errno);
  }
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void make_folder(const fs::path& folder, const fs::path& target) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder)) fail("make the folder of", target, error.value());
}

// Some file systems cannot sync a folder; by now the file is in place anyway.
void sync_folder(const fs::path& folder) {
  const File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());
}

fs::path follow_link(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

void replace_file(const fs::path& path, std::string_view content) {
  const fs::path folder = folder_of(path);
  make_folder(folder, path);
  TemporaryFile temporary(temporary_name(folder));
  write_new_file(temporary.path(), path, content);
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0) ::chmod(temporary.path().c_str(), old.st_mode & 07777);
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) fail("write", path, errno);
  temporary.keep();
  sync_folder(folder);
}

bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

fs::path nearest_existing(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error)) {
    const fs::path parent = folder_of(folder);
    if (parent == folder) break;
    folder = parent;
  }
  return folder;
}

}  // namespace

std::string read_file(const fs::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("read", path, errno);
  std::string content;
  for (;;) {
    const std::size_t old_size = content.size();
    content.resize(old_size + kReadBytes);
    const ssize_t count = ::read(file.get(), content.data() + old_size, kReadBytes);
    if (count < 0 && errno != EINTR) fail("read", path, errno);
    content.resize(old_size + static_cast<std::size_t>(count < 0 ? 0 : count));
    if (count == 0) return content;
  }
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  if (is_special(path)) {
    write_in_place(path, content);
  } else {
    replace_file(follow_link(path), content);
  }
}

void check_writable(const fs::path& path) {
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) != 0) fail("write", path, errno);
    return;
  }
  const fs::path target = follow_link(path);
  std::error_code error;
  if (fs::is_directory(target, error)) fail("write", path, EISDIR);
  // Missing folders are not made now: what matters is whether they can be.
  const fs::path folder = nearest_existing(folder_of(target));
  if (!fs::is_directory(folder, error)) fail("write", path, ENOTDIR);
  const TemporaryFile temporary(temporary_name(folder));
  write_new_file(temporary.path(), path, std::string(kTrialBytes, '\0'));
}

FileLock::FileLock(const fs::path& path) {
  fs::path lock_path = path;
  lock_path += ".lock";
  make_folder(folder_of(lock_path), lock_path);
  fd_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode);
  if (fd_ < 0) fail("lock", lock_path, errno);
  while (::flock(fd_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    ::close(fd_);
    fail("lock", lock_path, error);
  }
}

// The file stays: to remove it would let two holders lock two different files of the same name.
FileLock::~FileLock() { ::close(fd_); }

}  // namespace tuner
