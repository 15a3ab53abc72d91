#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(CommandLine, EveryCommandHasHelp) {
  const Ran all = run_tuner({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string& command : kCommands) {
    EXPECT_THAT(all.out, HasSubstr("  " + command));
    const Ran help = run_tuner({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.out, AllOf(HasSubstr("--json"), HasSubstr("--color"))) << command;
    EXPECT_EQ(help.err, "") << command;
  }
}

TEST(CommandLine, HidesItsHelperProcesses) {
  EXPECT_THAT(run_tuner({"--help"}).out, Not(HasSubstr("-process")));
}

TEST(CommandLine, TellsItsVersion) {
  const Ran run = run_tuner({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, testing::MatchesRegex("tuner [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

struct Usage {
  std::vector<std::string> arguments;
  int code;
  std::string message;
};

TEST(CommandLine, SaysWhatIsWrongAndWhatWasMeant) {
  const Usage cases[] = {
      {{}, 2, "which command"},
      {{"ocupancy"}, 2, "did you mean occupancy?"},
      {{"zzzzzz"}, 2, "no command zzzzzz"},
      {{"occupancy", "--blok", "32"}, 2, "did you mean --block?"},
      {{"occupancy", "--color", "pink"}, 2, "--color"},
      {{"occupancy", "--device", "h20"}, 2, "did you mean h"},
      {{"occupancy", "--device", "sm_61"}, 2, "75"},
      {{"occupancy", "--device", "no/such.json"}, 2, "no/such.json"},
      {{"occupancy"}, 4, "--device h200"},
      {{"occupancy", "--device", "0"}, 4, "driver"},
      {{"calibrate"}, 4, "no GPU to calibrate"},
      {{"calibrate", "--device", "h200"}, 4, "takes a GPU of this machine"},
      {{"space"}, 2, "KERNEL"},
      {{"tune"}, 2, "KERNEL is missing"},
      {{"tune", "--from-capture", "no/such.jsonl"}, 2, "no/such.jsonl"},
      {{"compare", "a.json"}, 2, "SECOND"},
      {{"compare", "no/a.json", "no/b.json"}, 2, "no/a.json"},
      {{"export", "copy"}, 2, "--output"},
      {{"export", "copyy", "-o", "-"}, 2, "did you mean"},
      {{"export", "gather", "--configs", "/no/such", "-o", "-"}, 2, "tuner tune gather"},
      {{"export", "copy", "-o", "/dev/null/tuned.hpp"}, 2, "/dev/null"},
      {{"export", "copy", "-o", "-", "--namespace", "a::b"}, 2, "a::b"},
  };
  for (const Usage& each : cases) {
    const Ran run = run_tuner(each.arguments);
    EXPECT_EQ(run.code, each.code) << testing::PrintToString(each.arguments) << run.err;
    EXPECT_THAT(run.err, HasSubstr(each.message)) << testing::PrintToString(each.arguments);
    EXPECT_EQ(run.out, "") << testing::PrintToString(each.arguments);
  }
}

TEST(CommandLine, KeepsStdoutForJsonAlone) {
  const std::vector<std::vector<std::string>> cases = {
      {"list"},
      {"info"},
      {"info", "--device", "h200"},
      {"doctor"},
      {"occupancy", "--device", "h200", "--sweep", "regs"}};
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Ran run = run_tuner(arguments);
    EXPECT_TRUE(nlohmann::json::accept(run.out)) << testing::PrintToString(arguments) << run.out;
  }
}

TEST(CommandLine, WritesJsonToAFile) {
  const auto file = std::filesystem::path(testing::TempDir()) / "tuner-cli-test.json";
  std::filesystem::remove(file);
  const Ran run = run_tuner({"occupancy", "--device", "h200", "--json", file.string()});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("occupancy"));
  std::ifstream stream(file);
  EXPECT_TRUE(nlohmann::json::parse(stream).contains("blocks_per_sm"));
  std::filesystem::remove(file);
}

TEST(CommandLine, ColoursOnlyWhenAsked) {
  const std::string escape = "\x1b[";
  const std::vector<std::string> plain = {"occupancy", "--device", "h200"};
  EXPECT_THAT(run_tuner(plain).out, Not(HasSubstr(escape)));
  std::vector<std::string> coloured = plain;
  coloured.insert(coloured.end(), {"--color", "always"});
  EXPECT_THAT(run_tuner(coloured).out, HasSubstr(escape));
}

TEST(Doctor, NamesARemedyForEachProblem) {
  const Ran run = run_tuner({"doctor", "--json", "-"});
  EXPECT_EQ(run.code, 4) << run.err;  // no GPU is visible
  bool gpu = false;
  const nlohmann::json json = run.json();
  for (const auto& check : json.at("checks")) {
    EXPECT_NE(check.at("ok").get<bool>(), !check.at("remedy").get<std::string>().empty());
    gpu = gpu || check.at("name") == "driver and GPU";
  }
  EXPECT_TRUE(gpu);
}

TEST(Info, ShowsADevicesLimits) {
  const nlohmann::json json = run_tuner({"info", "--device", "h200", "--json", "-"}).json();
  EXPECT_EQ(json.at("device").at("limits").at("compute_capability"), 90);
  EXPECT_TRUE(json.at("nvrtc").contains("found"));
  EXPECT_FALSE(json.at("paths").at("data").get<std::string>().empty());
}

// The shipped results of matmul are of warm caches.
TEST(Tune, SaysWhatForbidsEveryConfiguration) {
  const Ran ran =
      run_tuner({"tune", "matmul", "--device", "h200", "--set", "SLICES=1", "ptxas_level=1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("cannot be: level 1 is for slices"));
}

TEST(Show, PointsAtWhatWasMeasuredWithTheOtherCaches) {
  setenv("XDG_DATA_HOME", "/nowhere",
         1);  // NOLINT(concurrency-mt-unsafe): no results of the user's
  const Ran warm =
      run_tuner({"show", "matmul", "--n", "4096", "--device", "h200", "--cache", "warm"});
  EXPECT_EQ(warm.code, 0);
  EXPECT_THAT(warm.out, HasSubstr("rung: exact"));
  const Ran cold = run_tuner({"show", "matmul", "--n", "4096", "--device", "h200"});
  EXPECT_EQ(cold.code, 0);
  EXPECT_THAT(cold.out, HasSubstr("nothing was measured for this"));
  EXPECT_THAT(cold.out, HasSubstr("With warm caches something was (rung: exact): --cache warm"));
}

}  // namespace
}  // namespace tuner::cli
