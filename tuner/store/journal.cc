#include "tuner/store/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"
#include "tuner/store/journal_records.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0666;  // less the umask

[[noreturn]] void fail(const fs::path& path, int error) {
  const bool is_there = error == EEXIST;
  throw TunerError(fmt::format("Cannot write the journal {}: {}.{}", path.string(),
                               std::generic_category().message(error),
                               is_there ? " Resume it, remove it, or choose another file." : ""));
}

fs::path with_folder(fs::path path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail(path, error.value());
  return path;
}

}  // namespace

JournalWriter::JournalWriter(fs::path path, int flags) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, kFileMode);
  if (fd_ < 0) fail(path_, errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(fd_);
    if (error != EWOULDBLOCK) fail(path_, error);
    throw TunerError(
        fmt::format("Another tuner is writing the journal {}: wait for its end, or "
                    "choose another file.",
                    path_.string()));
  }
}

JournalWriter::~JournalWriter() { ::close(fd_); }

JournalWriter::JournalWriter(fs::path path, const JournalHeader& header)
    : JournalWriter(with_folder(std::move(path)), O_CREAT | O_EXCL) {
  append(header_to_json(header));
}

JournalWriter::JournalWriter(fs::path path, const JournalHeader& header, JournalContent& content)
    : JournalWriter(std::move(path), 0) {
  content = read_journal(path_);
  if (const std::optional<std::string> obstacle = resume_obstacle(content.header, header)) {
    throw TunerError(fmt::format("Cannot resume from the journal {}: {}. Choose another file.",
                                 path_.string(), *obstacle));
  }
  if (content.truncated) cut_last_line();
}

// A record behind half a line would be lost with it.
void JournalWriter::cut_last_line() {
  const std::size_t kept = read_file(path_).rfind('\n') + 1;
  if (::ftruncate(fd_, static_cast<off_t>(kept)) != 0) fail(path_, errno);
}

void JournalWriter::append(const nlohmann::ordered_json& record) {
  const std::string line = dump_json(record, -1) + "\n";
  std::string_view rest = line;
  const std::lock_guard lock(mutex_);
  while (!rest.empty()) {
    const ssize_t count = ::write(fd_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

void JournalWriter::started(const NamedValues& config) { append(started_to_json(config)); }

void JournalWriter::finished(const JournalTrial& trial) { append(trial_to_json(trial)); }

}  // namespace tuner
