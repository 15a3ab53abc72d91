#include "tuner/store/result_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "tests/tuner/store/fixture.h"
#include "tuner/kernel/schema.h"
#include "tuner/store/fields.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

std::string valid_text() {
  return dump_json(to_json_document({"saxpy", {entry_of(8)}, {}}), 2) + "\n";
}

TEST(ResultStore, SavesAndLoads) {
  const TemporaryFolder folder;
  const ResultStore store(folder / "configs");
  EXPECT_FALSE(store.load("saxpy", "h200").has_value());
  EXPECT_TRUE(store.files_of("saxpy").empty());
  store.check_savable("saxpy", "h200");
  EXPECT_FALSE(std::filesystem::exists(folder / "configs"));

  const auto file = store.save("saxpy", "h200", entry_of(1024));
  EXPECT_EQ(file, folder / "configs/saxpy/h200.json");
  const auto result = store.load("saxpy", "h200");
  ASSERT_TRUE(result.has_value());
  const TunedResult wanted{"saxpy", {entry_of(1024)}, {}};
  EXPECT_EQ(to_json_document(*result), to_json_document(wanted));
  EXPECT_THAT(store.files_of("saxpy"), testing::ElementsAre(file));
}

TEST(ResultStore, SavingKeepsWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  ordered_json document = ordered_json::parse(valid_text());
  document["x-extra"] = 1;
  document["entries"][0]["x-note"] = "kept";
  document["entries"][0]["device"]["x-board"] = "kept";
  std::filesystem::create_directories(folder / "saxpy");
  const auto file = folder.write("saxpy/h200.json", document.dump());
  ResultStore(folder.path()).save("saxpy", "h200", entry_of(1024));
  const ordered_json after = read_json_file(file);
  EXPECT_EQ(after["x-extra"], 1);
  ASSERT_EQ(after["entries"].size(), 2u);
  EXPECT_EQ(after["entries"][0], document["entries"][0]);
}

TEST(ResultStore, ListsOnlyResults) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "saxpy");
  for (const char* name : {"b.json", "a.json", "a.json.lock", ".tuner-1.tmp", ".c.json", "d.txt"}) {
    folder.write(std::string("saxpy/") + name, "");
  }
  EXPECT_THAT(ResultStore(folder.path()).files_of("saxpy"),
              testing::ElementsAre(folder / "saxpy/a.json", folder / "saxpy/b.json"));
}

struct BadFile {
  const char* what;
  std::string text;
  const char* message;
};

std::vector<BadFile> bad_files() {
  const std::string text = valid_text();
  const auto versioned = [&](int version) {
    ordered_json json = ordered_json::parse(text);
    json["version"] = version;
    return json.dump();
  };
  return {{"empty", "", "is damaged and was left as it is"},
          {"truncated", text.substr(0, text.size() / 2), "is damaged and was left as it is"},
          {"not JSON", "<<<<<<< HEAD\n" + text, "is damaged and was left as it is"},
          {"not UTF-8", "{\"schema\": \"\xff\xfe\"}", "is damaged and was left as it is"},
          {"zeros", std::string(512, '\0'), "is damaged and was left as it is"},
          {"newer", versioned(2), "was written by a newer tuner"},
          {"older", versioned(0), "has no version 0"},
          {"another schema", R"({"schema": "tuner.device", "version": 1})", "its schema is"},
          {"no object", "[]", "expected an object"},
          {"another kernel", dump_json(to_json_document({"matmul", {entry_of(8)}, {}}), 2),
           "holds results of the kernel matmul, not of saxpy"}};
}

TEST(ResultStore, RefusesABadFileAndLeavesItAsItIs) {
  const TemporaryFolder folder;
  const ResultStore store(folder.path());
  std::filesystem::create_directories(folder / "saxpy");
  for (const BadFile& bad : bad_files()) {
    SCOPED_TRACE(bad.what);
    const auto file = folder.write("saxpy/h200.json", bad.text);
    const std::vector<std::string> messages = {
        error_of([&] { static_cast<void>(store.load("saxpy", "h200")); }),
        error_of([&] { store.check_savable("saxpy", "h200"); }),
        error_of([&] { store.save("saxpy", "h200", entry_of(16)); })};
    EXPECT_THAT(messages, testing::Each(HasSubstr(bad.message)));
    EXPECT_THAT(messages, testing::Each(HasSubstr(file.string())));
    EXPECT_EQ(read_file(file), bad.text);
  }
}

TEST(ResultStore, RefusesAPathBelowARegularFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("configs", "a file");
  const ResultStore store(file);
  EXPECT_THAT(error_of([&] { store.check_savable("saxpy", "h200"); }), HasSubstr(file.string()));
  EXPECT_THAT(error_of([&] { store.save("saxpy", "h200", entry_of(16)); }),
              HasSubstr(file.string()));
  EXPECT_THAT(error_of([&] { static_cast<void>(store.files_of("saxpy")); }),
              HasSubstr(file.string()));
  EXPECT_EQ(read_file(file), "a file");
}

TEST(ResultStore, RefusesNamesThatAreNoFileNames) {
  const ResultStore store("configs");
  for (const char* name : {"", ".", "..", "../up", "a/b", ".hidden"}) {
    SCOPED_TRACE(name);
    EXPECT_THROW(static_cast<void>(store.path_of(name, "h200")), TunerError);
    EXPECT_THROW(static_cast<void>(store.path_of("saxpy", name)), TunerError);
    EXPECT_THROW(static_cast<void>(store.files_of(name)), TunerError);
  }
}

TEST(ResultStore, StoresNoWinnerThatIsNotMeasuredAndVerified) {
  const TemporaryFolder folder;
  const ResultStore store(folder.path());
  const auto refused = [&](double time_ns, double error) {
    TunedEntry entry = entry_of(16);
    entry.winner.time_ns = time_ns;
    entry.winner.error = error;
    return error_of([&] { store.save("saxpy", "h200", entry); });
  };
  for (const double time_ns : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THAT(refused(time_ns, 0), HasSubstr("n=16 dtype=f32 has no time"));
  }
  for (const double error : {1.001, double(NAN), double(INFINITY)}) {
    EXPECT_THAT(refused(1000, error), HasSubstr("of its tolerance off"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "saxpy"));
  TunedEntry limit = entry_of(16);
  limit.winner.error = 1;
  EXPECT_NO_THROW(store.save("saxpy", "h200", limit));
}

constexpr int kWriters = 4;
constexpr int kEntriesEach = 6;

void save_entries(const std::filesystem::path& folder, int writer) {
  const ResultStore store(folder);
  for (int i = 0; i < kEntriesEach; ++i) {
    store.save("saxpy", "h200", entry_of(1 + writer * kEntriesEach + i));
  }
}

std::set<std::string> saved_problems(const std::filesystem::path& folder) {
  std::set<std::string> problems;
  const auto result = ResultStore(folder).load("saxpy", "h200");
  if (!result) return problems;
  for (const TunedEntry& entry : result->entries) problems.insert(to_string(entry.problem));
  return problems;
}

TEST(ResultStore, ThreadsThatSaveAtOnceLoseNothing) {
  const TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] { save_entries(folder.path(), i); });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(saved_problems(folder.path()).size(), std::size_t{kWriters * kEntriesEach});
}

TEST(ResultStore, ProcessesThatSaveAtOnceLoseNothing) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 0;
      try {
        save_entries(folder.path(), i);
      } catch (...) {
        status = 1;
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(saved_problems(folder.path()).size(), std::size_t{kWriters * kEntriesEach});
}

}  // namespace
}  // namespace tuner
