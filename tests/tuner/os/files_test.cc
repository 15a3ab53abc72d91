#include "tuner/os/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <vector>

#include "expr/error.h"
#include "tuner/os/child_process.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    std::string pattern = fs::temp_directory_path() / "tuner files é XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      result.push_back(entry.path().filename());
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  fs::path folder_;
};

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const TunerError& error) {
    return error.what();
  }
  return "(no error)";
}

// For as long as it lives, no file can grow beyond `bytes`: a full disk, as far as write() can
// tell.
class [[nodiscard]] FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int) = SIG_DFL;
};

TEST_F(FilesTest, WritesAndReplaces) {
  const fs::path path = folder_ / "a" / "b" / "file.json";
  write_file_atomically(path, "first");
  EXPECT_EQ(read_file(path), "first");
  write_file_atomically(path, std::string("se\0cond", 7));
  EXPECT_EQ(read_file(path), std::string("se\0cond", 7));
  write_file_atomically(path, "");
  EXPECT_EQ(read_file(path), "");
}

TEST_F(FilesTest, LeavesNoOtherFileBehind) {
  write_file_atomically(folder_ / "x", "1");
  EXPECT_EQ(names(), std::vector<std::string>{"x"});
}

TEST_F(FilesTest, TakesNamesOfTheGreatestLength) {
  const fs::path path = folder_ / std::string(255, 'n');
  write_file_atomically(path, "long");
  EXPECT_EQ(read_file(path), "long");
}

TEST_F(FilesTest, KeepsTheModeOfTheFileItReplaces) {
  const fs::path path = folder_ / "x";
  write_file_atomically(path, "1");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_file_atomically(path, "2");
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
}

TEST_F(FilesTest, FollowsALink) {
  write_file_atomically(folder_ / "real", "1");
  fs::create_symlink("real", folder_ / "link");
  write_file_atomically(folder_ / "link", "2");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "real"), "2");
}

TEST_F(FilesTest, FullDiskKeepsTheOldContent) {
  const fs::path path = folder_ / "result.json";
  write_file_atomically(path, "old");
  const std::string big(100'000, 'x');
  std::string message;
  {
    const FileSizeLimit limit(10'000);
    message = message_of([&] { write_file_atomically(path, big); });
  }
  EXPECT_THAT(message, HasSubstr(path.string()));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"result.json"});
}

TEST_F(FilesTest, DeviceIsWrittenToAndNotReplaced) {
  write_file_atomically("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(message_of([] { write_file_atomically("/dev/full", "x"); }),
              HasSubstr("/dev/full: No space left on device"));
}

TEST_F(FilesTest, ErrorsNameTheFile) {
  write_file_atomically(folder_ / "plain", "1");
  const fs::path below = folder_ / "plain" / "sub" / "file";
  EXPECT_THAT(message_of([&] { write_file_atomically(below, "x"); }), HasSubstr(below.string()));
  EXPECT_THAT(message_of([&] { write_file_atomically(folder_, "x"); }),
              HasSubstr("Is a directory"));
  const fs::path missing = folder_ / "missing";
  EXPECT_THAT(message_of([&] { read_file(missing); }),
              HasSubstr(missing.string() + ": No such file or directory"));
  EXPECT_THAT(message_of([&] { read_file(folder_); }), HasSubstr("Is a directory"));
}

TEST_F(FilesTest, CheckWritableLeavesNothing) {
  check_writable(folder_ / "new" / "deep" / "file");
  check_writable(folder_ / "file");
  EXPECT_TRUE(names().empty());
  write_file_atomically(folder_ / "file", "kept");
  check_writable(folder_ / "file");
  check_writable("/dev/null");
  EXPECT_EQ(read_file(folder_ / "file"), "kept");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(FilesTest, CheckWritableSaysWhyNot) {
  write_file_atomically(folder_ / "plain", "1");
  EXPECT_THAT(message_of([&] { check_writable(folder_ / "plain" / "x"); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(message_of([&] { check_writable(folder_ / "plain" / "y" / "x"); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(message_of([&] { check_writable(folder_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([] { check_writable("/proc/tuner-test/file"); }), HasSubstr("/proc"));
  const FileSizeLimit limit(1000);
  EXPECT_THAT(message_of([&] { check_writable(folder_ / "z"); }), HasSubstr("File too large"));
}

TEST_F(FilesTest, RelativePathWithoutFolder) {
  const fs::path old = fs::current_path();
  fs::current_path(folder_);
  check_writable("bare");
  write_file_atomically("bare", "1");
  EXPECT_EQ(read_file("bare"), "1");
  fs::current_path(old);
}

TEST_F(FilesTest, GzipRoundTrip) {
  std::string noise;
  for (unsigned i = 0, state = 1; i < 300'000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise.push_back(static_cast<char>(state >> 24));
  }
  for (const std::string& content :
       {std::string(), std::string("{}"), std::string(1'000'000, 'a'), noise}) {
    const fs::path path = folder_ / "x.gz";
    write_gzip_atomically(path, content);
    EXPECT_EQ(read_file(path).substr(0, 2), "\x1f\x8b");
    EXPECT_TRUE(read_gzip_or_plain(path) == content) << content.size();
  }
}

// "hello\n" as gzip(1) writes it with -n, twice: files of several members are legal.
TEST_F(FilesTest, ReadsWhatGzipWrites) {
  const std::string member(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06"
      "\x00"
      "\x00\x00",
      26);
  write_file_atomically(folder_ / "x.gz", member + member);
  EXPECT_EQ(read_gzip_or_plain(folder_ / "x.gz"), "hello\nhello\n");
}

TEST_F(FilesTest, PlainFilesAreReadAsTheyAre) {
  write_file_atomically(folder_ / "x.gz", "{\"plain\": 1}");
  EXPECT_EQ(read_gzip_or_plain(folder_ / "x.gz"), "{\"plain\": 1}");
}

TEST_F(FilesTest, DamagedGzipIsAnError) {
  const fs::path path = folder_ / "x.gz";
  write_gzip_atomically(path, std::string(100'000, 'a') + "b");
  const std::string whole = read_file(path);
  for (const std::size_t length :
       {std::size_t{2}, std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
    write_file_atomically(path, whole.substr(0, length));
    EXPECT_THAT(message_of([&] { read_gzip_or_plain(path); }), HasSubstr("damaged or cut short"))
        << length;
  }
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  write_file_atomically(path, flipped);
  EXPECT_THAT(message_of([&] { read_gzip_or_plain(path); }), HasSubstr("damaged"));
}

TEST_F(FilesTest, LockExcludesOtherProcessesAndThreads) {
  const fs::path path = folder_ / "counter";
  write_file_atomically(path, "0");
  ChildProcess first = ChildProcess::spawn({TEST_CHILD, "count", path});
  ChildProcess second = ChildProcess::spawn({TEST_CHILD, "count", path});
  const auto count = [&] {
    for (int i = 0; i < 50; ++i) {
      const FileLock lock(path);
      write_file_atomically(path, std::to_string(std::stoi(read_file(path)) + 1));
    }
  };
  std::thread third(count);
  count();
  third.join();
  EXPECT_EQ(first.wait(std::chrono::seconds(60)), "exit code 0");
  EXPECT_EQ(second.wait(std::chrono::seconds(60)), "exit code 0");
  EXPECT_EQ(read_file(path), "500");  // 2 * 200 + 2 * 50
}

TEST_F(FilesTest, LockSaysWhatCannotBeLocked) {
  write_file_atomically(folder_ / "plain", "1");
  EXPECT_THAT(message_of([&] { const FileLock lock(folder_ / "plain" / "x"); }),
              HasSubstr((folder_ / "plain" / "x.lock").string()));
}

}  // namespace
}  // namespace tuner
