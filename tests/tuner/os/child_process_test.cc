#include "tuner/os/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "expr/error.h"

namespace tuner {
namespace {

using namespace std::chrono_literals;
using Outcome = Channel::Outcome;

constexpr auto kPatience = 30s;  // for what is expected to happen

ChildProcess start(std::vector<std::string> arguments,
                   const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  arguments.insert(arguments.begin(), TEST_CHILD);
  return ChildProcess::spawn(arguments, environment);
}

std::pair<Channel, Channel> channel_pair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()), 0);
  return {Channel(fds[0]), Channel(fds[1])};
}

TEST(Channel, CarriesMessagesOfAllSizes) {
  ChildProcess child = start({"echo"});
  for (const std::size_t size : {0, 1, 4, 65532, 65536, 10'000'000}) {
    std::string message(size, 'x');
    if (size > 0) message.back() = '\0';
    std::thread sender([&] { EXPECT_TRUE(child.channel().send(message)); });
    const Channel::Received received = child.channel().receive(kPatience);
    sender.join();
    ASSERT_EQ(received.outcome, Outcome::message) << size;
    EXPECT_TRUE(received.message == message) << size;
  }
}

TEST(Channel, KeepsTheBordersOfMessagesSentTogether) {
  auto [ours, theirs] = channel_pair();
  for (const char* text : {"one", "", "three"}) ASSERT_TRUE(theirs.send(text));
  theirs.close();
  EXPECT_EQ(ours.receive(kPatience).message, "one");
  EXPECT_EQ(ours.receive(kPatience).message, "");
  EXPECT_EQ(ours.receive(kPatience).message, "three");
  EXPECT_EQ(ours.receive(kPatience).outcome, Outcome::closed);
}

TEST(Channel, KeepsHalfAMessageOverATimeout) {
  auto [ours, theirs] = channel_pair();
  const std::string bytes("\x05\0\0\0hello", 9);
  ASSERT_EQ(::write(theirs.fd(), bytes.data(), 6), 6);
  EXPECT_EQ(ours.receive(1ms).outcome, Outcome::timed_out);
  ASSERT_EQ(::write(theirs.fd(), bytes.data() + 6, 3), 3);
  EXPECT_EQ(ours.receive(kPatience).message, "hello");
}

TEST(Channel, TimesOutWhereNothingComes) {
  auto [ours, theirs] = channel_pair();
  EXPECT_EQ(ours.receive(0ms).outcome, Outcome::timed_out);
  EXPECT_EQ(ours.receive(5ms).outcome, Outcome::timed_out);
}

TEST(Channel, RefusesALengthBeyondReason) {
  auto [ours, theirs] = channel_pair();
  const std::string bytes("\xff\xff\xff\xff garbage", 12);
  ASSERT_EQ(::write(theirs.fd(), bytes.data(), bytes.size()), 12);
  EXPECT_EQ(ours.receive(kPatience).outcome, Outcome::closed);
}

TEST(Channel, SendsToNobodyWithoutASignal) {
  auto [ours, theirs] = channel_pair();
  theirs.close();
  EXPECT_FALSE(ours.send("anyone?"));
}

TEST(Channel, MessageThatIsCutShortCountsAsClosed) {
  ChildProcess child = start({"cut"});
  EXPECT_EQ(child.channel().receive(kPatience).outcome, Outcome::closed);
}

TEST(ChildProcess, TellsHowItEnded) {
  struct Case {
    std::vector<std::string> arguments;
    std::string expected;
  };
  const std::vector<Case> cases{
      {{"exit", "0"}, "exit code 0"},
      {{"exit", "7"}, "exit code 7"},
      {{"signal", "15"}, "killed by signal 15 (Terminated)"},
      {{"signal", "9"}, "killed by signal 9 (Killed)"},
  };
  for (const Case& item : cases) {
    ChildProcess child = start(item.arguments);
    EXPECT_EQ(child.channel().receive(kPatience).outcome, Outcome::closed);
    EXPECT_EQ(child.wait(kPatience), item.expected);
    EXPECT_EQ(child.pid(), -1);
  }
}

TEST(ChildProcess, EndsWhenItsChannelCloses) {
  ChildProcess child = start({"echo"});
  EXPECT_EQ(child.wait(kPatience), "exit code 0");
}

TEST(ChildProcess, IsKilledAfterTheGrace) {
  ChildProcess child = start({"hang"});
  ASSERT_EQ(child.channel().receive(kPatience).message, "hanging");
  EXPECT_EQ(child.wait(1ms), "killed by signal 9 (Killed)");
}

TEST(ChildProcess, KillFromAnotherThreadEndsAReceive) {
  ChildProcess child = start({"hang"});
  ASSERT_EQ(child.channel().receive(kPatience).message, "hanging");
  std::thread killer([&] { child.kill(); });
  EXPECT_EQ(child.channel().receive(std::nullopt).outcome, Outcome::closed);
  killer.join();
  EXPECT_EQ(child.wait(kPatience), "killed by signal 9 (Killed)");
}

TEST(ChildProcess, KillBesideWaitIsSafe) {
  for (int i = 0; i < 20; ++i) {
    ChildProcess child = start({"exit", "0"});
    std::thread killer([&] {
      for (int k = 0; k < 100; ++k) child.kill();
    });
    child.wait(kPatience);
    killer.join();
  }
}

TEST(ChildProcess, DestructorReaps) {
  pid_t pid = -1;
  {
    ChildProcess child = start({"hang"});
    ASSERT_EQ(child.channel().receive(kPatience).message, "hanging");
    pid = child.pid();
    ChildProcess moved = std::move(child);
    EXPECT_EQ(moved.pid(), pid);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, AssigningEndsTheOldOne) {
  ChildProcess child = start({"hang"});
  const pid_t old_pid = child.pid();
  child = start({"echo"});
  EXPECT_EQ(::kill(old_pid, 0), -1);
  ASSERT_TRUE(child.channel().send("hello"));
  EXPECT_EQ(child.channel().receive(kPatience).message, "hello");
}

TEST(ChildProcess, AddsToTheEnvironment) {
  ::setenv("TUNER_TEST_VARIABLE", "old", 1);
  ChildProcess inherits = start({"environment", "TUNER_TEST_VARIABLE"});
  EXPECT_EQ(inherits.channel().receive(kPatience).message, "old");
  ChildProcess replaces =
      start({"environment", "TUNER_TEST_VARIABLE"}, {{"TUNER_TEST_VARIABLE", "new"}});
  EXPECT_EQ(replaces.channel().receive(kPatience).message, "new");
  ::unsetenv("TUNER_TEST_VARIABLE");
}

TEST(ChildProcess, InheritsNoOtherFile) {
  const int leak = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(leak, 3);
  const std::string test =
      "test ! -e /proc/self/fd/" + std::to_string(leak + 20) + " && test -e /proc/self/fd/3";
  ASSERT_EQ(::dup2(leak, leak + 20), leak + 20);
  ChildProcess child = ChildProcess::spawn({"/bin/sh", "-c", test});
  EXPECT_EQ(child.wait(kPatience), "exit code 0");
  ::close(leak);
  ::close(leak + 20);
}

TEST(ChildProcess, IgnoresInterrupts) {
  ChildProcess child = start({"interrupt"});
  EXPECT_EQ(child.channel().receive(kPatience).message, "alive");
}

TEST(ChildProcess, SaysWhatCannotBeStarted) {
  try {
    ChildProcess::spawn({"/nowhere/tuner"});
    FAIL();
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/tuner: No such file or directory"));
  }
}

TEST(ChildProcess, OutlivesTheThreadThatStartedIt) {
  std::optional<ChildProcess> child;
  std::thread([&] { child = start({"echo"}); }).join();
  ASSERT_TRUE(child->channel().send("hello"));
  EXPECT_EQ(child->channel().receive(kPatience).message, "hello");
}

// True while it runs; a zombie that nobody reaps has ended.
bool runs(const std::string& pid) {
  std::error_code error;
  return !std::filesystem::read_symlink("/proc/" + pid + "/exe", error).empty();
}

TEST(ChildProcess, DiesWithItsParent) {
  ChildProcess parent = start({"orphan"});
  const std::string grandchild = parent.channel().receive(kPatience).message;
  ASSERT_TRUE(runs(grandchild));
  EXPECT_EQ(parent.wait(kPatience), "killed by signal 9 (Killed)");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (runs(grandchild) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_FALSE(runs(grandchild));
}

TEST(AdoptChannel, RefusesWhatIsNoChannel) {
  EXPECT_EXIT(
      {
        ::close(kChannelFd);
        try {
          adopt_channel();
        } catch (const TunerError&) {
          std::_Exit(9);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(9), "");
}

}  // namespace
}  // namespace tuner
