// Reading, and writing so that no reader ever sees half a file and a crash loses nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tuner {

// Throws TunerError naming the file and the system's reason.
std::string read_file(const std::filesystem::path& path);
std::string read_gzip_or_plain(const std::filesystem::path& path);
void write_gzip_atomically(const std::filesystem::path& path, std::string_view content);

// Temporary file in the same folder, fsync, rename, fsync of the folder. Makes missing parent
// folders; a link is followed; a device or a pipe (/dev/stdout) is written to as it is. Throws
// TunerError naming the file (full disk, read-only folder, …); the old content then still stands.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Throws TunerError now where write_file_atomically(path) would fail later for want of permission
// or space for a small file. Leaves nothing behind.
void check_writable(const std::filesystem::path& path);

// An advisory lock (flock) on `path` + ".lock", held until destroyed.
class [[nodiscard]] FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace tuner
