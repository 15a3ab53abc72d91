#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tuner/store/fixture.h"
#include "tuner/store/fields.h"
#include "tuner/store/result.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

// Every key of version 1, and one that it does not know on each level.
constexpr const char* kDocument = R"json({
  "schema": "tuner.result", "version": 1, "kernel": "saxpy",
  "entries": [{
    "problem": {"n": 4096, "alpha": 2.0, "dtype": "f32", "inplace": true}, "cache": "warm",
    "device": {"name": "NVIDIA H200", "compute_capability": 90, "sm_count": 132,
               "memory_bytes": 150000000000, "driver": "580.65.06", "x-board": "P5"},
    "winner": {"config": {"block": 256, "vector": "float4"}, "time_ns": 1000.5, "low_ns": 990.0,
               "high_ns": 1010.0, "gflops": 500.0, "gbps": 3000.0, "error": 0.25,
               "compiled": [{"entry": "saxpy<256>", "registers": 40, "static_shared": 128,
                             "spill_bytes": 8}], "x-watts": 600},
    "default": {"config": {}, "time_ns": 0.0, "low_ns": 0.0, "high_ns": 0.0, "gflops": 0.0,
                "gbps": 0.0, "error": 0.0},
    "default_failure": "compile_error: too much shared memory",
    "ties": [{"config": {"block": 128, "vector": "float"}, "time_ns": 1001.0, "low_ns": 991.0,
              "high_ns": 1011.0, "gflops": 499.0, "gbps": 2999.0, "error": 0.5, "x-watts": 590}],
    "source_hash": "0123456789abcdef", "cuda": "13.0", "nvrtc": "12.9", "tool": "0.1.0",
    "date": "2025-03-01T12:00:00Z", "trials": 42, "throttled": true, "x-note": ["a", 1]
  }],
  "x-extra": {"deep": null}
})json";

TEST(ResultJson, ReadsEveryField) {
  const TunedResult result = parse_tuned_result(ordered_json::parse(kDocument), "r.json");
  EXPECT_EQ(result.kernel, "saxpy");
  ASSERT_EQ(result.entries.size(), 1u);
  const TunedEntry& entry = result.entries[0];
  const NamedValues problem = {
      {"n", std::int64_t{4096}}, {"alpha", 2.0}, {"dtype", std::string("f32")}, {"inplace", true}};
  EXPECT_EQ(entry.problem, problem);
  EXPECT_EQ(entry.cache, "warm");
  EXPECT_TRUE(same_gpu(entry.device, h200()));
  EXPECT_EQ(entry.device.driver, "580.65.06");
  EXPECT_EQ(entry.winner.time_ns, 1000.5);
  EXPECT_EQ(entry.winner.low_ns, 990);
  EXPECT_EQ(entry.winner.high_ns, 1010);
  EXPECT_EQ(entry.winner.gflops, 500);
  EXPECT_EQ(entry.winner.gbps, 3000);
  EXPECT_EQ(entry.winner.error, 0.25);
  ASSERT_EQ(entry.winner.compiled.size(), 1u);
  EXPECT_EQ(entry.winner.compiled[0].entry, "saxpy<256>");
  EXPECT_EQ(entry.winner.compiled[0].registers, 40);
  EXPECT_EQ(entry.winner.compiled[0].static_shared, 128);
  EXPECT_EQ(entry.winner.compiled[0].spill_bytes, 8);
  EXPECT_TRUE(entry.default_config.config.empty());
  EXPECT_EQ(entry.default_failure, "compile_error: too much shared memory");
  ASSERT_EQ(entry.ties.size(), 1u);
  EXPECT_EQ(to_string(entry.ties[0].config), "block=128 vector=float");
  EXPECT_EQ(entry.source_hash, "0123456789abcdef");
  EXPECT_EQ(entry.cuda, "13.0");
  EXPECT_EQ(entry.nvrtc, "12.9");
  EXPECT_EQ(entry.tool, "0.1.0");
  EXPECT_EQ(entry.date, "2025-03-01T12:00:00Z");
  EXPECT_EQ(entry.trials, 42);
  EXPECT_TRUE(entry.throttled);
}

TEST(ResultJson, ComesBackTheSameWithUnknownKeysOnEveryLevel) {
  const ordered_json document = ordered_json::parse(kDocument);
  EXPECT_EQ(to_json_document(parse_tuned_result(document, "r.json")).dump(2), document.dump(2));
}

TEST(ResultJson, AnUnknownKeyNeverReplacesAKnownOne) {
  TunedResult result{"saxpy", {entry_of(1)}, {{"kernel", "other"}}};
  result.entries[0].winner.other = {{"time_ns", 1}};
  const ordered_json document = to_json_document(result);
  EXPECT_EQ(document["kernel"], "saxpy");
  EXPECT_EQ(document["entries"][0]["winner"]["time_ns"], 1000);
}

TEST(ResultJson, ANumberThatJsonCannotHoldReadsAsNone) {
  TunedResult result{"saxpy", {entry_of(1)}, {}};
  result.entries[0].default_config.error = std::numeric_limits<double>::infinity();
  const std::string text = dump_json(to_json_document(result), 2);
  const TunedResult back = parse_tuned_result(parse_json(text, "r.json"), "r.json");
  EXPECT_TRUE(std::isnan(back.entries[0].default_config.error));
}

struct BadDocument {
  const char* pointer;
  const char* value;  // JSON; nullptr: the key is removed
  const char* message;
};

ordered_json changed(const BadDocument& bad) {
  ordered_json document = ordered_json::parse(kDocument);
  const ordered_json::json_pointer pointer(bad.pointer);
  if (bad.value != nullptr) {
    document[pointer] = ordered_json::parse(bad.value);
  } else {
    document[pointer.parent_pointer()].erase(pointer.back());
  }
  return document;
}

TEST(ResultJson, NamesTheFileThePlaceAndWhatWasExpected) {
  const BadDocument table[] = {
      {"/schema", "\"tuner.journal\"", "r.json: its schema is \"tuner.journal\""},
      {"/schema", nullptr, "r.json: its schema is \"\", expected \"tuner.result\""},
      {"/version", nullptr, "r.json: \"version\" is missing"},
      {"/version", "\"1\"", "r.json: /version: expected a 64-bit integer, found \"1\""},
      {"/version", "1.0", "r.json: /version: expected a 64-bit integer"},
      {"/version", "0", "r.json: tuner.result has no version 0"},
      {"/version", "-1", "r.json: tuner.result has no version -1"},
      {"/version", "2", "r.json was written by a newer tuner: it has version 2"},
      {"/version", "18446744073709551615", "/version: expected a 64-bit integer"},
      {"/kernel", nullptr, "r.json: \"kernel\" is missing"},
      {"/entries", "{}", "r.json: /entries: expected an array, found {}"},
      {"/entries/0", "3", "r.json: /entries/0: expected an object"},
      {"/entries/0/winner", nullptr, "r.json: /entries/0: \"winner\" is missing"},
      {"/entries/0/winner/time_ns", "null", "/entries/0/winner/time_ns: expected a number"},
      {"/entries/0/winner/config/block", "[1]", "/entries/0/winner/config/block: [1] is neither"},
      {"/entries/0/ties/0/config", "1", "r.json: /entries/0/ties/0/config: expected an object"},
      {"/entries/0/device/sm_count", "1.5", "/entries/0/device/sm_count: expected a 64-bit int"},
      {"/entries/0/throttled", "0", "/entries/0/throttled: expected true or false"},
      {"/entries/0/source_hash", nullptr, "r.json: /entries/0: \"source_hash\" is missing"},
      {"/entries/0/problem/n", "9223372036854775808", "/entries/0/problem/n: 9223372036854775808"},
  };
  for (const BadDocument& bad : table) {
    SCOPED_TRACE(std::string(bad.pointer) + " " + (bad.value == nullptr ? "gone" : bad.value));
    const std::string message =
        error_of([&] { static_cast<void>(parse_tuned_result(changed(bad), "r.json")); });
    EXPECT_THAT(message, HasSubstr(bad.message));
  }
  EXPECT_THAT(error_of([] { static_cast<void>(parse_tuned_result("text", "r.json")); }),
              HasSubstr("r.json: expected an object"));
}

TEST(ResultJson, ReadsFilesWithoutTheKeysThatHaveDefaults) {
  ordered_json document = ordered_json::parse(kDocument);
  for (const char* key : {"ties", "cuda", "nvrtc", "tool", "date", "trials", "throttled"}) {
    document["entries"][0].erase(key);
  }
  for (const char* key : {"low_ns", "high_ns", "gflops", "gbps", "error"}) {
    document["entries"][0]["winner"].erase(key);
  }
  const TunedEntry entry = parse_tuned_result(document, "r.json").entries.at(0);
  EXPECT_TRUE(entry.ties.empty());
  EXPECT_EQ(entry.winner.low_ns, 1000.5);
  EXPECT_EQ(entry.winner.high_ns, 1000.5);
  EXPECT_FALSE(entry.throttled);
}

TEST(MergeEntry, ReplacesTheSameKeyOnly) {
  TunedResult result{"saxpy", {}, {}};
  merge_entry(result, entry_of(1024, 1000));
  merge_entry(result, entry_of(4096, 1000));
  TunedEntry warm = entry_of(1024, 900);
  warm.cache = "warm";
  merge_entry(result, warm);
  TunedEntry other_gpu = entry_of(1024, 2000);
  other_gpu.device = a100();
  merge_entry(result, other_gpu);
  ASSERT_EQ(result.entries.size(), 4u);

  TunedEntry again = entry_of(1024, 800);
  again.problem = {{"dtype", std::string("f32")}, {"n", std::int64_t{1024}}};
  again.device.driver = "590.1";
  again.device.memory_bytes -= 1'000'000'000;  // what a driver keeps to itself differs by release
  merge_entry(result, again);
  ASSERT_EQ(result.entries.size(), 4u);
  int replaced = 0;
  for (const TunedEntry& entry : result.entries) replaced += entry.winner.time_ns == 800 ? 1 : 0;
  EXPECT_EQ(replaced, 1);
}

TEST(MergeEntry, KeepsProblemsInTheOrderOfTheirSizes) {
  TunedResult result{"saxpy", {}, {}};
  for (const std::int64_t n : {512, 65536, 1024, 8}) merge_entry(result, entry_of(n));
  std::vector<std::string> order;
  for (const TunedEntry& entry : result.entries) order.push_back(to_string(entry.problem));
  EXPECT_THAT(order, testing::ElementsAre("n=8 dtype=f32", "n=512 dtype=f32", "n=1024 dtype=f32",
                                          "n=65536 dtype=f32"));
}

TEST(SameGpu, TellsCardsOfOneNameApart) {
  const ResultDevice small = {"NVIDIA A100", 80, 108, 42'000'000'000, "a"};
  ResultDevice large = small;
  large.memory_bytes = 85'000'000'000;
  EXPECT_FALSE(same_gpu(small, large));
  ResultDevice slice = small;
  slice.sm_count = 42;
  EXPECT_FALSE(same_gpu(small, slice));
  ResultDevice updated = small;
  updated.driver = "b";
  EXPECT_TRUE(same_gpu(small, updated));
}

TEST(UtcNow, IsAnIsoDate) {
  EXPECT_THAT(utc_now(), testing::MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:]*Z"));
}

}  // namespace
}  // namespace tuner
