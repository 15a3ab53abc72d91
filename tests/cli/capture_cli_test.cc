// tuner tune --from-capture, without a GPU: what is tuned, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tuner.h"
#include "tests/tuner/compile/temporary_folder.h"

namespace tuner::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCaptured =
    R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"shape": "linear", "dtype": "f32", "n": 4096, "m": 1}, "count": 2}
{"schema": "tuner.capture", "version": 1, "kernel": "transpose", "problem": {"n": 512, "m": 256}, "count": 9}
{"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"shape": "linear", "dtype": "f32", "n": 4096, "m": 1}, "count": 3}
{"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"n": 100}}
)";

class FromCapture : public testing::Test {
 protected:
  Ran tune(const std::string& captured, std::vector<std::string> more = {}) const {
    const std::string file = folder_.write("captured.jsonl", captured);
    more.insert(more.begin(), {"tune", "--from-capture", file, "--device", "h200", "--json", "-"});
    return run_tuner(more);
  }
  TemporaryFolder folder_;
};

TEST_F(FromCapture, TunesDistinctProblemsTheMostCalledFirst) {
  const Ran run = tune(kCaptured);
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = run.json();
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("kernel"), "transpose");
  EXPECT_EQ(json[0].at("problem").at("m"), 256);
  EXPECT_EQ(json[1].at("kernel"), "copy");
  EXPECT_EQ(json[1].at("problem").at("n"), 4096);
  EXPECT_EQ(json[2].at("problem").at("n"), 100);
}

TEST_F(FromCapture, TakesOneKernelWhereItIsNamed) {
  const Ran run = tune(kCaptured, {"transpose"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json().at("kernel"), "transpose");
  const Ran none = tune(kCaptured, {"gather"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no problem of the kernel gather"));
}

TEST_F(FromCapture, NamesTheLineThatCannotBeUsed) {
  const std::string good = kCaptured;
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"schema": "tuner.capture")", "JSON"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "cpoy", "problem": {"n": 4}})",
       "did you mean 'copy'"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"N": 4}})",
       "'N'"},
      {R"({"schema": "tuner.capture", "version": 1, "kernel": "copy", "problem": {"n": -4}})",
       "-4"}};
  for (const auto& [line, says] : wrong) {
    const Ran run = tune(good + line + "\n");
    EXPECT_EQ(run.code, 2) << line;
    EXPECT_THAT(run.err, AllOf(HasSubstr("captured.jsonl:5"), HasSubstr(says))) << line;
    EXPECT_EQ(run.out, "") << line;
  }
}

TEST_F(FromCapture, RefusesProblemsFromTwoPlaces) {
  const Ran run = tune(kCaptured, {"copy", "--n", "4"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("leave out --n"));
}

}  // namespace
}  // namespace tuner::cli
