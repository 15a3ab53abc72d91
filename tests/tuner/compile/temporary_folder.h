// A folder for one test, and files in it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuner/os/files.h"

namespace tuner {

// Its name holds a space and a letter beyond ASCII, as users' folders do. Removed at the end.
class [[nodiscard]] TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tuner cömpile XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    write_file_atomically(path_ / name, content);
    return path_ / name;
  }
  // As write(), of a file that looks as if it had been there for long.
  std::filesystem::path write_old(const std::string& name, std::string_view content,
                                  std::chrono::seconds age) const {
    std::filesystem::path path = write(name, content);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tuner
