#include "tuner/compile/cubin_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

const std::string kKey(32, 'a');

CompileReply reply_with(const std::string& cubin) {
  CompileReply reply;
  reply.ok = true;
  reply.cubin = cubin;
  reply.log = "ptxas info \xff no UTF-8";
  EntryFacts facts;
  facts.entry = "copy<4>";
  facts.lowered_name = "_Z4copyILi4EEvv";
  facts.registers = 1;
  facts.spill_store_bytes = 2;
  facts.spill_load_bytes = 3;
  facts.stack_bytes = 4;
  facts.static_shared = 5;
  facts.barriers = 6;
  reply.entries = {facts};
  reply.symbol_names = {"_Z1c"};
  reply.compile_ms = 12.5;
  return reply;
}

CubinCacheOptions options_for(const fs::path& folder) {
  return {.folder = folder, .max_bytes = 1 << 20, .remember = true, .min_age = seconds(3600)};
}

std::string key_number(int number) { return std::string(31, '0') + "0123456789abcdef"[number]; }

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  return result;
}

TEST(CubinCache, FindsWhatWasStored) {
  const TemporaryFolder folder;
  const std::string cubin(
      "\x7f"
      "ELF\0cubin",
      10);
  EXPECT_FALSE(CubinCache(options_for(folder / "new")).find(kKey));
  const CompileResult stored =
      CubinCache(options_for(folder / "new")).store(kKey, reply_with(cubin));
  EXPECT_EQ(stored.status, CompileResult::Status::ok);
  EXPECT_FALSE(stored.cached);
  const auto found = CubinCache(options_for(folder / "new")).find(kKey);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->cached);
  EXPECT_EQ(found->cubin, stored.cubin);
  EXPECT_EQ(read_file(found->cubin), cubin);
  EXPECT_EQ(found->compile_ms, 12.5);
  EXPECT_EQ(found->symbol_names, std::vector<std::string>{"_Z1c"});
  EXPECT_EQ(found->log, "ptxas info \xef\xbf\xbd no UTF-8");
  ASSERT_EQ(found->entries.size(), 1U);
  const EntryFacts& facts = found->entries[0];
  EXPECT_EQ(facts.entry, "copy<4>");
  EXPECT_EQ(facts.lowered_name, "_Z4copyILi4EEvv");
  EXPECT_EQ(facts.registers, 1);
  EXPECT_EQ(facts.spill_store_bytes, 2);
  EXPECT_EQ(facts.spill_load_bytes, 3);
  EXPECT_EQ(facts.stack_bytes, 4);
  EXPECT_EQ(facts.static_shared, 5);
  EXPECT_EQ(facts.barriers, 6);
}

TEST(CubinCache, DamagedEntryIsAMissAndIsReplaced) {
  const std::vector<std::string> damages{"", "{", "[]", "{\"schema\": \"tuner/compiled\"}",
                                         "\xff\xfe"};
  for (const char* extension : {".json", ".cubin"}) {
    for (const std::string& damage : damages) {
      const TemporaryFolder folder;
      CubinCache cache(options_for(folder.path()));
      cache.store(kKey, reply_with("cubin"));
      write_file_atomically(files_in(folder.path(), extension).at(0), damage);
      EXPECT_FALSE(cache.find(kKey)) << extension << damage;
      cache.store(kKey, reply_with("cubin"));
      EXPECT_TRUE(cache.find(kKey)) << extension << damage;
    }
  }
}

TEST(CubinCache, MissingCubinAndOtherVersionsAreMisses) {
  const TemporaryFolder folder;
  CubinCache cache(options_for(folder.path()));
  cache.store(kKey, reply_with("cubin"));
  nlohmann::json entry = nlohmann::json::parse(read_file(folder / (kKey + ".json")));
  entry["version"] = 2;
  folder.write(kKey + ".json", entry.dump());
  EXPECT_FALSE(cache.find(kKey));
  cache.store(kKey, reply_with("cubin"));
  fs::remove(files_in(folder.path(), ".cubin").at(0));
  EXPECT_FALSE(cache.find(kKey));
}

// Two compiles of one source may differ in their bytes: whoever is read is whole, and is what its
// JSON says.
TEST(CubinCache, WritersAndReadersOfOneKeyDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&folder, id] {
      CubinCache cache(options_for(folder.path()));
      const std::string cubin(1000, "abcd"[id]);
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(read_file(cache.store(kKey, reply_with(cubin)).cubin), cubin);
        const auto found = cache.find(kKey);
        ASSERT_TRUE(found);
        EXPECT_EQ(read_file(found->cubin).size(), 1000U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files_in(folder.path(), ".cubin").size(), 4U);
  EXPECT_EQ(files_in(folder.path(), ".json").size(), 1U);
}

TEST(CubinCache, FolderThatCannotBeWrittenIsReplacedByATemporaryOne) {
  const TemporaryFolder folder;
  folder.write("plain", "a file, not a folder");
  for (const fs::path& bad : {folder / "plain" / "cubins", fs::path("/proc/tuner-test")}) {
    fs::path cubin;
    {
      CubinCache cache(options_for(bad));
      EXPECT_FALSE(cache.find(kKey));
      cubin = cache.store(kKey, reply_with("cubin")).cubin;
      EXPECT_EQ(read_file(cubin), "cubin");
      EXPECT_TRUE(cache.find(kKey));
    }
    EXPECT_FALSE(fs::exists(cubin.parent_path()));
  }
}

TEST(CubinCache, FolderThatGoesBadLaterIsReplacedByATemporaryOne) {
  const TemporaryFolder folder;
  CubinCache cache(options_for(folder / "cubins"));
  folder.write("cubins", "a file where the folder was to be");
  const CompileResult stored = cache.store(kKey, reply_with("cubin"));
  EXPECT_EQ(read_file(stored.cubin), "cubin");
}

TEST(CubinCache, WithoutMemoryNothingIsFoundOrKept) {
  const TemporaryFolder folder;
  CubinCache cache({.folder = {}, .max_bytes = 1 << 20, .remember = false});
  EXPECT_EQ(read_file(cache.store(kKey, reply_with("cubin")).cubin), "cubin");
  EXPECT_FALSE(cache.find(kKey));
}

TEST(CubinCache, WhatIsNotToBeRememberedIsNotFound) {
  const TemporaryFolder folder;
  CubinCache cache(options_for(folder.path()));
  EXPECT_EQ(read_file(cache.store(kKey, reply_with("cubin"), false).cubin), "cubin");
  EXPECT_FALSE(cache.find(kKey));
}

// Ten entries of 1000 bytes, last used 100, 99, … hours ago; a limit of 4000 leaves 3500 or less.
TEST(Evict, RemovesTheLeastRecentlyUsed) {
  const TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) {
    const seconds age = std::chrono::hours(100 - i);
    folder.write_old(key_number(i) + ".json", std::string(100, 'j'), age);
    folder.write_old(key_number(i) + "-0123456789abcdef.cubin", std::string(900, 'c'), age);
  }
  folder.write_old("somebody else's.txt", std::string(5000, 'x'), std::chrono::hours(1000));
  folder.write_old(".tuner-1-2.tmp", std::string(100, 'x'), std::chrono::hours(1000));
  EXPECT_EQ(evict(folder.path(), 20'000, seconds(3600), {}), 10'100U);
  EXPECT_EQ(evict(folder.path(), 4000, seconds(3600), {key_number(0)}), 3000U);
  EXPECT_TRUE(fs::exists(folder / "somebody else's.txt"));
  EXPECT_FALSE(fs::exists(folder / ".tuner-1-2.tmp"));
  for (int i = 0; i < 10; ++i) {
    // 0 is in use, 8 and 9 are the latest.
    EXPECT_EQ(fs::exists(folder / (key_number(i) + ".json")), i == 0 || i >= 8) << i;
  }
  EXPECT_EQ(files_in(folder.path(), ".cubin").size(), 3U);
}

TEST(Evict, KeepsWhatIsYoung) {
  const TemporaryFolder folder;
  folder.write_old(key_number(1) + ".json", std::string(100, 'j'), seconds(3500));
  folder.write_old(key_number(2) + ".json", std::string(100, 'j'), seconds(3700));
  EXPECT_EQ(evict(folder.path(), 0, seconds(3600), {}), 100U);
  EXPECT_TRUE(fs::exists(folder / (key_number(1) + ".json")));
}

TEST(Evict, UseCountsByItsLatestFile) {
  const TemporaryFolder folder;
  folder.write_old(key_number(1) + ".json", "j", seconds(10));
  folder.write_old(key_number(1) + "-0123456789abcdef.cubin", "c", seconds(90'000));
  EXPECT_EQ(evict(folder.path(), 0, seconds(3600), {}), 2U);
}

TEST(CubinCache, StoringKeepsTheFolderSmall) {
  const TemporaryFolder folder;
  for (int i = 0; i < 8; ++i) {
    folder.write_old(key_number(i) + ".json", std::string(1000, 'j'), std::chrono::hours(10));
  }
  CubinCacheOptions options = options_for(folder.path());
  options.max_bytes = 4000;
  CubinCache cache(options);
  cache.store(kKey, reply_with("cubin"));
  EXPECT_TRUE(cache.find(kKey));
  EXPECT_LE(files_in(folder.path(), ".json").size(), 4U);
}

TEST(CubinCache, FindingCountsAsUse) {
  const TemporaryFolder folder;
  CubinCache(options_for(folder.path())).store(kKey, reply_with("cubin"));
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(10));
  }
  ASSERT_TRUE(CubinCache(options_for(folder.path())).find(kKey));
  EXPECT_GT(evict(folder.path(), 0, seconds(3600), {}), 0U);
  EXPECT_TRUE(CubinCache(options_for(folder.path())).find(kKey));
}

}  // namespace
}  // namespace tuner
