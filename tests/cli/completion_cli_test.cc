// Completions and the manual page hold what --help holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <regex>
#include <set>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// "--cache" of every line of a --help that begins with an option.
std::set<std::string> options_in_help(const std::string& command) {
  const std::string help = run_tuner({command, "--help"}).out;
  static const std::regex pattern("\n  (?:-[a-z],)?(--[a-z-]+)");
  std::set<std::string> options;
  for (std::sregex_iterator it(help.begin(), help.end(), pattern), end; it != end; ++it) {
    options.insert((*it)[1]);
  }
  return options;
}

TEST(Completion, KnowsEveryOptionOfEveryCommand) {
  const std::string bash = run_tuner({"completion", "bash"}).out;
  const std::string zsh = run_tuner({"completion", "zsh"}).out;
  const std::string fish = run_tuner({"completion", "fish"}).out;
  const std::string man = run_tuner({"man"}).out;
  for (const std::string& command : kCommands) {
    EXPECT_THAT(bash, HasSubstr("    " + command + ")\n"));
    EXPECT_THAT(zsh, HasSubstr("    '" + command + ":"));
    EXPECT_THAT(fish, HasSubstr("__fish_use_subcommand -f -a " + command + " "));
    EXPECT_THAT(man, HasSubstr(".SH \"tuner " + command + "\"\n"));
    const std::set<std::string> options = options_in_help(command);
    EXPECT_THAT(options, testing::Contains("--json")) << command;
    for (const std::string& option : options) {
      EXPECT_THAT(bash, HasSubstr(" " + option + " ")) << command;
      EXPECT_THAT(zsh, HasSubstr("'*" + option + "[")) << command;
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2) + " ")) << command;
    }
  }
}

// What bash offers for the last of `words`.
std::string offered(const std::string& words, int at) {
  const std::string command =
      "bash -c 'source <(\"" TUNER_BINARY "\" completion bash); COMP_WORDS=(" + words +
      "); COMP_CWORD=" + std::to_string(at) + "; _tuner; echo \"${COMPREPLY[*]}\"' 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::array<char, 4096> buffer{};
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe);
  ::pclose(pipe);
  return {buffer.data(), count};
}

TEST(Completion, BashOffersWhatFits) {
  EXPECT_EQ(offered("tuner exp", 1), "export explain\n");
  EXPECT_EQ(offered("tuner tune --cac", 2), "--cache\n");
  EXPECT_EQ(offered("tuner tune matmul --cache w", 4), "warm\n");
  EXPECT_EQ(offered("tuner show copy --device h2", 4), "h200\n");
  EXPECT_THAT(offered("tuner tune matm", 2), HasSubstr("matmul"));
  EXPECT_THAT(offered("tuner list --", 2), Not(HasSubstr("--cache")));
}

TEST(Completion, RefusesOtherShells) {
  const Ran run = run_tuner({"completion", "tcsh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("tcsh"));
}

}  // namespace
}  // namespace tuner::cli
