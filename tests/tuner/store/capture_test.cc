#include "tuner/store/capture.h"

#include "tests/tuner/store/fixture.h"

namespace tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Capture, ReadsBackWhatWasAppendedMostCalledFirst) {
  const TemporaryFolder folder;
  const auto file = folder / "captured.jsonl";
  append_captured(file, {"saxpy", problem_of(1024), 1});
  append_captured(file, {"saxpy", problem_of(2048), 7});
  append_captured(file, {"copy", problem_of(1024), 2});
  append_captured(file, {"saxpy", problem_of(1024), 3});
  const std::vector<CapturedProblem> all = load_captured(file);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(to_string(all[0].problem), "n=2048 dtype=f32");
  EXPECT_EQ(all[1].count, 4);
  EXPECT_EQ(all[1].kernel, "saxpy");
  EXPECT_THAT(all[1].origin, testing::EndsWith("captured.jsonl:1"));
  EXPECT_EQ(all[2].kernel, "copy");
}

TEST(Capture, IgnoresUnknownKeysAndBlankLines) {
  const TemporaryFolder folder;
  const auto file = folder.write("captured.jsonl",
                                 "\n{\"schema\": \"tuner.capture\", \"version\": 1, \"kernel\": "
                                 "\"copy\", \"problem\": {\"n\": 3}, \"more\": 1}\n");
  EXPECT_EQ(load_captured(file).at(0).count, 1);
}

TEST(Capture, NamesTheLineThatIsWrong) {
  const std::string good =
      R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"n": 3}})"
      "\n";
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"schema": "tuner.cap)", "JSON"},
      {R"([1])", "object"},
      {R"({"schema": "tuner.journal", "version": 1})", "tuner.capture"},
      {R"({"schema": "tuner.capture", "version": 9, "kernel": "copy", "problem": {}})", "version"},
      {R"({"schema": "tuner.capture", "version": 1, "problem": {"n": 3}})",
       "\"kernel\" is missing"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": 3})", "/problem"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"n": []}})",
       "/problem"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {}, "count": 0})",
       "count"},
  };
  for (const auto& [line, says] : wrong) {
    const TemporaryFolder folder;
    const auto file = folder.write("captured.jsonl", good + line + "\n" + good);
    EXPECT_THAT(
        error_of([&] { load_captured(file); }),
        AllOf(HasSubstr("captured.jsonl:2"), HasSubstr(says), HasSubstr("delete that line")))
        << line;
  }
}

TEST(Capture, AMissingOrEmptyFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { load_captured(folder / "gone.jsonl"); }), HasSubstr("gone.jsonl"));
  const auto empty = folder.write("empty.jsonl", "");
  EXPECT_THAT(error_of([&] { load_captured(empty); }), HasSubstr("TUNER_CAPTURE"));
  EXPECT_THAT(error_of([] {
                append_captured("/nowhere/a.jsonl", {"copy", {}, 1});
              }),
              HasSubstr("/nowhere/a.jsonl"));
}

}  // namespace
}  // namespace tuner
