// docs/schemas/result.schema.json describes what the store writes, and no more than it reads.
#include <gtest/gtest.h>

#include <limits>

#include "tests/tuner/store/fixture.h"
#include "tuner/kernel/schema.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

void check(const ordered_json& document) {
  check_against_schema(document, "result.schema.json", "h200.json");
}

ordered_json saved() {
  const TemporaryFolder folder;
  const ResultStore store(folder.path());
  TunedEntry failed = entry_of(2048);
  failed.cache = "warm";
  failed.default_config = {};
  failed.default_config.error = std::numeric_limits<double>::infinity();  // null in the file
  failed.default_failure = "wrong: 3 of its tolerance off";
  failed.problem.emplace_back("alpha", 0.5);
  failed.problem.emplace_back("inplace", true);
  failed.winner.other = {{"x-watts", 600}};
  failed.winner.compiled = {{"scale<256>", 40, 128, 0}};
  failed.throttled = true;
  store.save("saxpy", "h200", entry_of(1024));
  return read_json_file(store.save("saxpy", "h200", failed));
}

TEST(ResultSchema, HoldsForASavedResult) {
  const ordered_json document = saved();
  ASSERT_EQ(document["entries"].size(), 2u);
  EXPECT_NO_THROW(check(document));
}

struct Change {
  const char* pointer;
  const char* value;  // JSON; nullptr: the key is removed
};

TEST(ResultSchema, HoldsForNothingElse) {
  const Change table[] = {
      {"/schema", "\"tuner.journal\""},
      {"/version", "2"},
      {"/version", nullptr},
      {"/kernel", "1"},
      {"/entries", "{}"},
      {"/entries/0/problem/n", "[1]"},
      {"/entries/0/cache", "\"tepid\""},
      {"/entries/0/device/sm_count", "\"132\""},
      {"/entries/0/device/memory_bytes", nullptr},
      {"/entries/0/winner", nullptr},
      {"/entries/0/winner/time_ns", "null"},
      {"/entries/0/winner/time_ns", "0"},
      {"/entries/0/winner/error", "1.5"},
      {"/entries/0/winner/config", "[]"},
      {"/entries/1/winner/compiled", "40"},
      {"/entries/1/winner/compiled/0/registers", nullptr},
      {"/entries/1/winner/compiled/0/registers", "-1"},
      {"/entries/0/default", nullptr},
      {"/entries/0/default/time_ns", "-1"},
      {"/entries/0/ties/0/config", nullptr},
      {"/entries/0/source_hash", nullptr},
      {"/entries/0/date", "\"yesterday\""},
      {"/entries/0/trials", "1.5"},
      {"/entries/0/throttled", "0"},
  };
  const ordered_json good = saved();
  for (const Change& change : table) {
    SCOPED_TRACE(std::string(change.pointer) + " " +
                 (change.value == nullptr ? "gone" : change.value));
    ordered_json document = good;
    const ordered_json::json_pointer pointer(change.pointer);
    if (change.value != nullptr) {
      document[pointer] = ordered_json::parse(change.value);
    } else {
      document[pointer.parent_pointer()].erase(pointer.back());
    }
    EXPECT_THROW(check(document), TunerError);
  }
}

}  // namespace
}  // namespace tuner
