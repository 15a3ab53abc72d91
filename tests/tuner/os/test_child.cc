// test_child MODE [ARGUMENT]: a helper process for the tests.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tuner/os/child_process.h"
#include "tuner/os/files.h"

namespace {

using tuner::Channel;

int echo(Channel channel) {
  for (;;) {
    const Channel::Received received = channel.receive(std::nullopt);
    if (received.outcome != Channel::Outcome::message || !channel.send(received.message)) return 0;
  }
}

int print_environment(Channel channel, const char* name) {
  const char* value = std::getenv(name);
  channel.send(value == nullptr ? "(unset)" : value);
  return 0;
}

// Raises SIGINT at itself, which must do nothing.
int survive_interrupt(Channel channel) {
  std::raise(SIGINT);
  channel.send("alive");
  return 0;
}

[[noreturn]] void hang(const Channel& channel) {
  for (;;) ::usleep(1000U + static_cast<unsigned>(channel.fd()));
}

// Starts a child that hangs, tells its pid, and dies without a word to it.
int orphan_a_child(Channel channel, const std::string& self) {
  tuner::ChildProcess child = tuner::ChildProcess::spawn({self, "hang"});
  child.channel().receive(std::nullopt);  // it has adopted its channel
  channel.send(std::to_string(child.pid()));
  channel.receive(std::nullopt);
  ::kill(::getpid(), SIGKILL);
  return 0;
}

// Adds one to the number in a file, many times, under its lock.
int count_under_lock(const std::string& path) {
  for (int i = 0; i < 200; ++i) {
    const tuner::FileLock lock(path);
    tuner::write_file_atomically(path, std::to_string(std::stoi(tuner::read_file(path)) + 1));
  }
  return 0;
}

// Ends in the middle of a message of 100 bytes.
int cut_message_short(const Channel& channel) {
  const std::string begin("\x64\0\0\0half", 8);
  return ::write(channel.fd(), begin.data(), begin.size()) == 8 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const std::string argument = argc > 2 ? argv[2] : "";
  if (mode == "count") return count_under_lock(argument);
  Channel channel = tuner::adopt_channel();
  if (mode == "echo") return echo(std::move(channel));
  if (mode == "environment") return print_environment(std::move(channel), argument.c_str());
  if (mode == "interrupt") return survive_interrupt(std::move(channel));
  if (mode == "orphan") return orphan_a_child(std::move(channel), argv[0]);
  if (mode == "cut") return cut_message_short(channel);
  if (mode == "exit") return std::stoi(argument);
  if (mode == "signal") return std::raise(std::stoi(argument));
  channel.send("hanging");
  hang(channel);
}
