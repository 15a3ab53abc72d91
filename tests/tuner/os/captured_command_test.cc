#include "tuner/os/captured_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"

namespace tuner {
namespace {

using namespace std::chrono_literals;

TEST(CapturedCommand, HasBothStreamsAndTheExitCode) {
  const CapturedCommand ran =
      run_captured({"/bin/sh", "-c", "echo out; echo err >&2; cat; exit 3"}, 10s);
  EXPECT_EQ(ran.output, "out\nerr\n") << "standard input is empty";
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_FALSE(ran.timed_out);
}

TEST(CapturedCommand, KeepsMoreThanAPipeHolds) {
  EXPECT_EQ(run_captured({"/bin/sh", "-c", "head -c 1000000 /dev/zero"}, 30s).output.size(),
            1000000U);
}

TEST(CapturedCommand, EndsWithWhatItStartedWhereItTakesTooLong) {
  const auto begin = std::chrono::steady_clock::now();
  const CapturedCommand ran =
      run_captured({"/bin/sh", "-c", "echo begun; sleep 60; echo never"}, 300ms);
  EXPECT_TRUE(ran.timed_out);
  EXPECT_EQ(ran.exit_code, -1);
  EXPECT_EQ(ran.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST(CapturedCommand, SaysWhatCannotBeStarted) {
  EXPECT_THROW(run_captured({"/nowhere/ncu"}, 1s), TunerError);
  EXPECT_EQ(run_captured({"/bin/sh", "-c", "kill -9 $$"}, 10s).exit_code, -1);
}

TEST(FindOnPath, IsAnExecutableFile) {
  EXPECT_TRUE(find_on_path("sh").has_value());
  EXPECT_FALSE(find_on_path("no such command").has_value());
}

}  // namespace
}  // namespace tuner
