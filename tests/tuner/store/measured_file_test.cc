#include "tuner/store/measured_file.h"

#include <gtest/gtest.h>

#include "tests/tuner/store/fixture.h"
#include "tuner/os/paths.h"
#include "tuner/store/recording.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

using testing::HasSubstr;

JournalTrial trial_of(std::int64_t block, double time_ns, search::Status status) {
  JournalTrial trial;
  trial.config = config_of(block);
  trial.status = status;
  trial.time_ns = time_ns;
  trial.low_ns = time_ns - 1;
  trial.high_ns = time_ns + 1;
  return trial;
}

TEST(MeasuredFile, OfAResultHasItsWinners) {
  const TemporaryFolder folder;
  const auto file = ResultStore(folder.path()).save("saxpy", "h200", entry_of(1024, 500));
  const MeasuredFile found = load_measured_file(file);
  EXPECT_EQ(found.kind, "tuner.result");
  EXPECT_EQ(found.kernel, "saxpy");
  ASSERT_EQ(found.times.size(), 1U);
  EXPECT_EQ(found.times[0].what, "n=1024 dtype=f32 cold on NVIDIA H200");
  EXPECT_EQ(found.times[0].time_ns, 500);
  EXPECT_EQ(found.times[0].low_ns, 490);
}

TEST(MeasuredFile, OfAJournalHasWhatWentWell) {
  const TemporaryFolder folder;
  const auto path = folder / "run.jsonl";
  {
    JournalWriter writer(path, header_of());
    writer.finished(trial_of(64, 900, search::Status::ok));
    writer.finished(trial_of(128, 0, search::Status::crash));
    JournalTrial abandoned = trial_of(256, 5000, search::Status::ok);
    abandoned.abandoned = true;
    writer.finished(abandoned);
  }
  const MeasuredFile found = load_measured_file(path);
  EXPECT_EQ(found.kind, "tuner.journal");
  ASSERT_EQ(found.times.size(), 1U);
  EXPECT_EQ(found.times[0].what, "block=64");
}

// A journal that was cut off after its first line is a single JSON document.
TEST(MeasuredFile, OfAJournalWithoutTrialsIsEmpty) {
  const TemporaryFolder folder;
  const auto path = folder / "run.jsonl";
  { JournalWriter writer(path, header_of()); }
  EXPECT_TRUE(load_measured_file(path).times.empty());
}

TEST(MeasuredFile, OfARecordingNamesItsConfigurations) {
  const TemporaryFolder folder;
  Recording recording;
  recording.kernel = "saxpy";
  recording.cache = "cold";
  recording.device = models::load_device_profile(data_folder() / "configs/devices/h200.json");
  recording.parameters = {{"block", {std::int64_t{64}, std::int64_t{128}}}};
  recording.trials = {{{std::int64_t{64}}, search::Status::ok, 700, 690, 710, 5, 1, 32, 0, ""},
                      {{std::int64_t{128}}, search::Status::wrong, 0, 0, 0, 0, 1, 32, 0, "no"}};
  save_recording(folder / "r.json.gz", recording);
  const MeasuredFile found = load_measured_file(folder / "r.json.gz");
  EXPECT_EQ(found.kind, "tuner.recording");
  ASSERT_EQ(found.times.size(), 1U);
  EXPECT_EQ(found.times[0].what, "block=64");
  EXPECT_EQ(found.times[0].high_ns, 710);
}

TEST(MeasuredFile, RefusesWhatHoldsNoTimes) {
  const TemporaryFolder folder;
  const auto error = [&](const char* content) {
    const auto path = folder.write("x.json", content);
    return error_of([&] { load_measured_file(path); });
  };
  EXPECT_THAT(error("hello"), HasSubstr("names no schema"));
  EXPECT_THAT(error("[1, 2]"), HasSubstr("x.json"));
  EXPECT_THAT(error(R"({"schema": "tuner.device", "version": 1})"), HasSubstr("tuner.device"));
  EXPECT_THAT(error(R"({"schema": "tuner.result", "version": 99})"), HasSubstr("99"));
  EXPECT_THAT(error_of([&] { load_measured_file(folder / "none"); }), HasSubstr("none"));
}

}  // namespace
}  // namespace tuner
