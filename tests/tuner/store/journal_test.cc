#include "tuner/store/journal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "tests/tuner/store/fixture.h"

namespace tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The lines that the format describes, written by hand.
constexpr const char* kHeader =
    R"({"schema":"tuner.journal","version":1,"kernel":"saxpy","problem":{"n":1024,"dtype":"f32"},)"
    R"("cache":"cold","device":"NVIDIA H200","source_hash":"0123456789abcdef",)"
    R"("parameters":["block","unroll"],"seed":"18446744073709551615","tool":"0.1.0",)"
    R"("date":"2025-03-01T12:00:00Z"})"
    "\n";
constexpr const char* kStarted = R"({"record":"started","config":{"block":64,"unroll":2}})"
                                 "\n";
constexpr const char* kTrial =
    R"({"record":"trial","config":{"block":64,"unroll":2},"status":"ok","time_ns":1000.5,)"
    R"("low_ns":990.0,"high_ns":1010.0,"samples":30,"abandoned":true,"throttled":true,)"
    R"("error":0.25,"compile_ms":12.5,"registers":40,"spill_bytes":16})"
    "\n";

NamedValues config(std::int64_t block, std::int64_t unroll) {
  return {{"block", block}, {"unroll", unroll}};
}

JournalTrial trial_of(std::int64_t block, double time_ns = 1000) {
  JournalTrial trial;
  trial.config = config(block, 2);
  trial.time_ns = trial.low_ns = trial.high_ns = time_ns;
  trial.samples = 30;
  return trial;
}

std::string reading_error(const std::filesystem::path& file) {
  return error_of([&] { static_cast<void>(read_journal(file)); });
}

TEST(Journal, WritesWhatTheFormatSays) {
  const TemporaryFolder folder;
  const auto file = folder / "deep/run.jsonl";
  {
    JournalWriter writer(file, header_of());
    writer.started(config(64, 2));
    JournalTrial trial = trial_of(64, 1000.5);
    trial.low_ns = 990;
    trial.high_ns = 1010;
    trial.abandoned = trial.throttled = true;
    trial.error = 0.25;
    trial.compile_ms = 12.5;
    trial.registers = 40;
    trial.spill_bytes = 16;
    writer.finished(trial);
  }
  EXPECT_EQ(read_file(file), std::string(kHeader) + kStarted + kTrial);
}

TEST(Journal, ReadsWhatTheFormatSays) {
  const TemporaryFolder folder;
  const auto file = folder.write("run.jsonl", std::string(kHeader) + kStarted + kTrial);
  const JournalContent content = read_journal(file);
  EXPECT_EQ(content.header.kernel, "saxpy");
  EXPECT_EQ(content.header.problem, problem_of(1024));
  EXPECT_EQ(content.header.parameters, (std::vector<std::string>{"block", "unroll"}));
  EXPECT_EQ(content.header.seed, 18446744073709551615u);
  EXPECT_EQ(content.header.tool, "0.1.0");
  EXPECT_EQ(content.header.date, "2025-03-01T12:00:00Z");
  EXPECT_EQ(resume_obstacle(content.header, header_of()), std::nullopt);
  ASSERT_EQ(content.trials.size(), 1u);
  const JournalTrial& trial = content.trials[0];
  EXPECT_EQ(trial.config, config(64, 2));
  EXPECT_EQ(trial.status, search::Status::ok);
  EXPECT_EQ(trial.time_ns, 1000.5);
  EXPECT_EQ(trial.low_ns, 990);
  EXPECT_EQ(trial.high_ns, 1010);
  EXPECT_EQ(trial.samples, 30);
  EXPECT_TRUE(trial.abandoned);
  EXPECT_TRUE(trial.throttled);
  EXPECT_EQ(trial.error, 0.25);
  EXPECT_EQ(trial.compile_ms, 12.5);
  EXPECT_EQ(trial.registers, 40);
  EXPECT_EQ(trial.spill_bytes, 16);
  EXPECT_TRUE(content.unfinished.empty());
  EXPECT_FALSE(content.truncated);
}

TEST(Journal, KeepsEveryStatusWithItsReason) {
  const TemporaryFolder folder;
  const auto file = folder / "run.jsonl";
  using enum search::Status;
  const std::vector<search::Status> all = {ok,           pruned, compile_error, compile_timeout,
                                           launch_error, crash,  timeout,       wrong};
  {
    JournalWriter writer(file, header_of());
    for (const search::Status status : all) {
      JournalTrial trial = trial_of(64);
      trial.status = status;
      trial.reason = "line 1\nline \"2\" \xff";  // compilers print what they find
      trial.error = NAN;
      writer.finished(trial);
    }
  }
  const JournalContent content = read_journal(file);
  ASSERT_EQ(content.trials.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(content.trials[i].status, all[i]);
    EXPECT_THAT(content.trials[i].reason, testing::StartsWith("line 1\nline \"2\" "));
    EXPECT_TRUE(std::isnan(content.trials[i].error));
  }
}

TEST(Journal, IgnoresUnknownRecordsAndKeys) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "run.jsonl", std::string(kHeader) + "{\"record\":\"x-note\",\"text\":\"hello\"}\n\n" +
                       "{\"record\":\"started\",\"x-gpu\":1,\"config\":{\"block\":64}}\n");
  const JournalContent content = read_journal(file);
  EXPECT_TRUE(content.trials.empty());
  EXPECT_EQ(content.unfinished.size(), 1u);
}

TEST(Journal, NamesTheConfigurationsThatNeverFinished) {
  const TemporaryFolder folder;
  const auto file = folder / "run.jsonl";
  {
    JournalWriter writer(file, header_of());
    writer.started(config(64, 2));
    writer.finished(trial_of(64));
    writer.started(config(128, 2));
    writer.started(config(256, 2));
    writer.started(config(128, 2));
  }
  const JournalContent content = read_journal(file);
  ASSERT_EQ(content.unfinished.size(), 2u);
  EXPECT_EQ(content.unfinished[0].config, config(128, 2));
  EXPECT_EQ(content.unfinished[0].starts, 2);
  EXPECT_EQ(content.unfinished[1].config, config(256, 2));
  EXPECT_EQ(content.unfinished[1].starts, 1);
}

TEST(Journal, LeavesOutALastLineCutAnywhere) {
  const TemporaryFolder folder;
  const std::string whole = std::string(kHeader) + kStarted;
  const std::string last = kTrial;
  for (const std::size_t kept : {std::size_t{1}, last.size() / 2, last.size() - 1}) {
    SCOPED_TRACE(kept);
    const auto file = folder.write("run.jsonl", whole + last.substr(0, kept));
    const JournalContent content = read_journal(file);
    EXPECT_TRUE(content.truncated);
    EXPECT_TRUE(content.trials.empty());
    ASSERT_EQ(content.unfinished.size(), 1u);
    EXPECT_EQ(content.unfinished[0].config, config(64, 2));
  }
}

TEST(Journal, ResumingRemovesTheCutLineAndGoesOn) {
  const TemporaryFolder folder;
  const std::string whole = std::string(kHeader) + kStarted;
  const auto file = folder.write("run.jsonl", whole + "{\"record\":\"tri");
  JournalContent content;
  {
    JournalWriter writer(file, header_of(), content);
    EXPECT_TRUE(content.truncated);
    EXPECT_EQ(content.unfinished.size(), 1u);
    writer.started(config(64, 2));
    writer.finished(trial_of(64));
  }
  EXPECT_THAT(read_file(file), testing::StartsWith(whole + kStarted + "{\"record\":\"trial\""));
  const JournalContent after = read_journal(file);
  EXPECT_FALSE(after.truncated);
  EXPECT_EQ(after.trials.size(), 1u);
  EXPECT_TRUE(after.unfinished.empty());
}

struct BadJournal {
  std::string text;
  const char* message;
};

TEST(Journal, NamesTheLineThatIsDamaged) {
  const TemporaryFolder folder;
  const std::string header = kHeader;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = header;
    return text.replace(text.find(from), from.size(), to);
  };
  const BadJournal table[] = {
      {"", "run.jsonl is no journal: it has no complete first line"},
      {header.substr(0, 40), "run.jsonl is no journal: it has no complete first line"},
      {"\n", "run.jsonl:1 is damaged"},
      {"\n" + header, "run.jsonl:1 is damaged"},
      {"hello\n", "run.jsonl:1 is damaged and was left as it is"},
      {"{\"schema\":\"tuner.result\",\"version\":1}\n", "run.jsonl:1: its schema is"},
      {with("\"version\":1", "\"version\":2"), "run.jsonl:1 was written by a newer tuner"},
      {with("\"version\":1", "\"version\":0"), "run.jsonl:1: tuner.journal has no version 0"},
      {with("\"kernel\":\"saxpy\",", ""), "run.jsonl:1: \"kernel\" is missing"},
      {with("\"unroll\"", "2"), "run.jsonl:1: /parameters: expected strings"},
      {with("18446744073709551615", "18446744073709551616"), "run.jsonl:1: /seed: \"1844"},
      {with("18446744073709551615", "-1"), "run.jsonl:1: /seed: \"-1\" is no seed"},
      {with("18446744073709551615", "12ab"), "run.jsonl:1: /seed: \"12ab\" is no seed"},
      {with("18446744073709551615", ""), "run.jsonl:1: /seed: \"\" is no seed"},
      {header + "{\"record\":\"tri\n" + kStarted, "run.jsonl:2 is damaged"},
      {header + kStarted + "[]\n", "run.jsonl:3: expected an object"},
      {header + "{}\n", "run.jsonl:2: \"record\" is missing"},
      {header + "{\"record\":\"started\"}\n", "run.jsonl:2: \"config\" is missing"},
      {header + "{\"record\":\"trial\",\"config\":{},\"status\":\"fine\"}\n",
       "run.jsonl:2: /status: \"fine\" is no status"},
  };
  for (const BadJournal& bad : table) {
    SCOPED_TRACE(bad.text);
    const auto file = folder.write("run.jsonl", bad.text);
    EXPECT_THAT(reading_error(file), HasSubstr(bad.message));
    JournalContent content;
    EXPECT_THAT(error_of([&] { JournalWriter writer(file, header_of(), content); }),
                HasSubstr(bad.message));
    EXPECT_EQ(read_file(file), bad.text);
  }
}

TEST(Journal, ANewOneReplacesNothing) {
  const TemporaryFolder folder;
  const auto file = folder.write("run.jsonl", kHeader);
  EXPECT_THAT(error_of([&] { JournalWriter writer(file, header_of()); }),
              AllOf(HasSubstr(file.string()), HasSubstr("Resume it, remove it")));
  EXPECT_EQ(read_file(file), kHeader);
}

TEST(Journal, CannotBeWhereThereIsNoFolder) {
  const TemporaryFolder folder;
  const auto file = folder.write("plain", "a file") / "run.jsonl";
  EXPECT_THAT(error_of([&] { JournalWriter writer(file, header_of()); }), HasSubstr(file.string()));
  const auto missing = folder / "missing.jsonl";
  JournalContent content;
  EXPECT_THAT(error_of([&] { JournalWriter writer(missing, header_of(), content); }),
              HasSubstr(missing.string()));
  EXPECT_FALSE(std::filesystem::exists(missing));
  EXPECT_THAT(reading_error(missing), HasSubstr(missing.string()));
}

TEST(Journal, RefusesASecondWriterUntilTheFirstIsGone) {
  const TemporaryFolder folder;
  const auto file = folder / "run.jsonl";
  JournalContent content;
  auto first = std::make_unique<JournalWriter>(file, header_of());
  EXPECT_THAT(error_of([&] { JournalWriter second(file, header_of(), content); }),
              AllOf(HasSubstr("Another tuner is writing the journal"), HasSubstr(file.string())));
  first->finished(trial_of(64));
  first.reset();
  { JournalWriter second(file, header_of(), content); }
  EXPECT_EQ(content.trials.size(), 1u);
}

TEST(Journal, ThreadsWriteWholeLines) {
  constexpr int kThreads = 4;
  constexpr int kTrials = 50;
  const TemporaryFolder folder;
  const auto file = folder / "run.jsonl";
  {
    JournalWriter writer(file, header_of());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kTrials; ++i) {
          writer.started(config(t * kTrials + i, 2));
          writer.finished(trial_of(t * kTrials + i));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const JournalContent content = read_journal(file);
  EXPECT_EQ(content.trials.size(), std::size_t{kThreads * kTrials});
  EXPECT_TRUE(content.unfinished.empty());
}

struct Difference {
  const char* message;  // part of the obstacle
  void (*change)(JournalHeader&);
};

TEST(ResumeObstacle, NamesEachFieldThatDiffers) {
  const Difference table[] = {
      {"its kernel is \"saxpy\", and this run's is \"gemv\"", [](auto& h) { h.kernel = "gemv"; }},
      {"its problem is \"n=1024 dtype=f32\", and this run's is \"n=2048 dtype=f32\"",
       [](auto& h) { h.problem = problem_of(2048); }},
      {"its cache mode is \"cold\", and this run's is \"warm\"", [](auto& h) { h.cache = "warm"; }},
      {"its device is \"NVIDIA H200\", and this run's is \"Tesla T4\"",
       [](auto& h) { h.device = "Tesla T4"; }},
      {"source or options have changed", [](auto& h) { h.source_hash = "f"; }},
      {"parameters have changed",
       [](auto& h) {
         h.parameters = {"unroll", "block"};
       }},
      {"its seed is \"18446744073709551615\", and this run's is \"7\"",
       [](auto& h) { h.seed = 7; }},
  };
  const TemporaryFolder folder;
  const auto file = folder.write("run.jsonl", kHeader);
  for (const Difference& difference : table) {
    JournalHeader wanted = header_of();
    difference.change(wanted);
    const auto obstacle = resume_obstacle(header_of(), wanted);
    ASSERT_TRUE(obstacle.has_value()) << difference.message;
    EXPECT_THAT(*obstacle, HasSubstr(difference.message));
    JournalContent content;
    EXPECT_THAT(error_of([&] { JournalWriter writer(file, wanted, content); }),
                AllOf(HasSubstr(file.string()), HasSubstr(difference.message)));
  }
  EXPECT_EQ(read_file(file), kHeader);
}

TEST(ResumeObstacle, IsNotTheToolTheDateOrTheOrderOfTheAxes) {
  JournalHeader wanted = header_of();
  wanted.tool = "9.9";
  wanted.date = "2030-01-01T00:00:00Z";
  std::swap(wanted.problem[0], wanted.problem[1]);
  EXPECT_EQ(resume_obstacle(header_of(), wanted), std::nullopt);
}

}  // namespace
}  // namespace tuner
