#include "tuner/store/recording.h"

#include <gtest/gtest.h>

#include "tests/tuner/store/fixture.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

// As docs/files.md has it, with columns in another order, one unknown, and an unknown key.
constexpr const char* kDocument = R"json({
  "schema": "tuner.recording", "version": 1, "kernel": "saxpy",
  "problem": {"n": 1024, "dtype": "f32"}, "cache": "cold",
  "device": {"schema": "tuner.device", "version": 1, "name": "NVIDIA H200",
             "limits": {"compute_capability": 90, "sm_count": 132},
             "rates": {"core_clock_mhz": 1980, "dram_peak_gbps": 4800}},
  "source_hash": "0123456789abcdef", "cuda": "13.0", "driver": "580.65.06", "tool": "0.1.0",
  "date": "2025-03-01T12:00:00Z",
  "parameters": [{"name": "block", "values": [64, 128]}, {"name": "vector", "values": ["f", "f4"]}],
  "columns": ["status", "values", "time_ns", "x-watts", "reason", "low_ns", "registers"],
  "trials": [["ok", [64, "f4"], 1000.5, 600, "", 990, 40],
             ["compile_error", [128, "f"], 0, null, "no", 0, 0]],
  "x-extra": [1, 2]
})json";

Recording recording() { return parse_recording(ordered_json::parse(kDocument), "r.json.gz"); }

TEST(Recording, ReadsColumnsByTheirNames) {
  const Recording found = recording();
  EXPECT_EQ(found.kernel, "saxpy");
  EXPECT_EQ(found.problem, problem_of(1024));
  EXPECT_EQ(found.cache, "cold");
  EXPECT_EQ(found.device.name, "NVIDIA H200");
  EXPECT_EQ(found.device.sm_count, 132);
  EXPECT_EQ(found.driver, "580.65.06");
  ASSERT_EQ(found.parameters.size(), 2u);
  EXPECT_EQ(found.parameters[1].name, "vector");
  EXPECT_EQ(found.parameters[1].values[1], Value(std::string("f4")));
  ASSERT_EQ(found.trials.size(), 2u);
  EXPECT_EQ(found.trials[0].values[0], Value(std::int64_t{64}));
  EXPECT_EQ(found.trials[0].time_ns, 1000.5);
  EXPECT_EQ(found.trials[0].low_ns, 990);
  EXPECT_EQ(found.trials[0].high_ns, 1000.5);  // without the column: the median
  EXPECT_EQ(found.trials[0].registers, 40);
  EXPECT_EQ(found.trials[1].status, search::Status::compile_error);
  EXPECT_EQ(found.trials[1].reason, "no");
}

TEST(Recording, ComesBackFromAGzippedFile) {
  const TemporaryFolder folder;
  const auto file = folder / "deep/saxpy.json.gz";
  const Recording before = recording();
  save_recording(file, before);
  const std::string bytes = read_file(file);
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
  const Recording after = load_recording(file);
  EXPECT_EQ(to_json_document(after), to_json_document(before));
  EXPECT_EQ(after.trials.size(), 2u);
  EXPECT_EQ(after.trials[0].time_ns, 1000.5);
  EXPECT_EQ(after.other["x-extra"], ordered_json::parse("[1, 2]"));
}

TEST(Recording, ReadsPlainJsonToo) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_recording(folder.write("r.json", kDocument)).trials.size(), 2u);
}

TEST(Recording, AnUnknownKeyNeverReplacesAKnownOne) {
  Recording changed = recording();
  changed.other["kernel"] = "other";
  EXPECT_EQ(to_json_document(changed)["kernel"], "saxpy");
}

TEST(Recording, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  const auto file = folder / "r.json.gz";
  save_recording(file, recording());
  const std::string bytes = read_file(file);
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x55);
  for (const std::string& text : {bytes.substr(0, bytes.size() / 2), bytes.substr(0, 12), flipped,
                                  std::string("{\"schema\": "), std::string()}) {
    folder.write("r.json.gz", text);
    EXPECT_THAT(error_of([&] { static_cast<void>(load_recording(file)); }),
                testing::AllOf(HasSubstr(file.string()), HasSubstr("damaged")));
    EXPECT_EQ(read_file(file), text);
  }
}

struct Change {
  const char* pointer;
  const char* value;
  const char* message;
};

TEST(Recording, NamesThePlaceAndWhatWasExpected) {
  const Change table[] = {
      {"/version", "2", "r.json was written by a newer tuner"},
      {"/version", "0", "r.json: tuner.recording has no version 0"},
      {"/schema", "\"tuner.result\"", "r.json: its schema is"},
      {"/device/limits/sm_count", "\"many\"", "sm_count"},
      {"/parameters/1", "1", "r.json: /parameters/1: expected an object"},
      {"/parameters/0/values", "1", "r.json: /parameters/0/values: expected an array"},
      {"/columns/0", "1", "r.json: /trials/0: a column's name is no string"},
      {"/columns/0", "\"x-status\"", "r.json: /trials/0: \"status\" is missing"},
      {"/trials/1", "[1]", "r.json: /trials/1: expected an array of 7 values"},
      {"/trials/1/0", "\"fine\"", "r.json: /trials/1: \"fine\" is no status"},
      {"/trials/1/1", "[64]", "r.json: /trials/1: 1 values for 2 parameters"},
      {"/trials/0/2", "0", "r.json: /trials/0: a measured trial without a time"},
      {"/trials/0/2", "null", "r.json: /trials/0: a measured trial without a time"},
  };
  for (const Change& change : table) {
    SCOPED_TRACE(std::string(change.pointer) + " " + change.value);
    ordered_json document = ordered_json::parse(kDocument);
    document[ordered_json::json_pointer(change.pointer)] = ordered_json::parse(change.value);
    EXPECT_THAT(error_of([&] { static_cast<void>(parse_recording(document, "r.json")); }),
                HasSubstr(change.message));
  }
}

}  // namespace
}  // namespace tuner
