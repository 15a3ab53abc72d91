// compile_test_process compile-process          the real compiler process
// compile_test_process crash-on-request         the same, but killed by a signal where the source
// says CRASH compile_test_process fail-first FILE          exits with 3 the first time (it makes
// FILE), else is the real one
#include <csignal>
#include <filesystem>
#include <string>

#include "tuner/compile/compile_message.h"
#include "tuner/compile/nvrtc.h"
#include "tuner/compile/nvrtc_compile.h"
#include "tuner/os/child_process.h"
#include "tuner/os/files.h"

namespace {

int crash_on_request() {
  tuner::Channel channel = tuner::adopt_channel();
  const auto greeting = tuner::unpack(channel.receive(std::nullopt).message);
  const tuner::Nvrtc nvrtc = tuner::load_nvrtc(greeting.at("library").get<std::string>());
  channel.send(tuner::pack({{"problem", ""}}));
  for (;;) {
    const auto received = channel.receive(std::nullopt);
    if (received.outcome != tuner::Channel::Outcome::message) return 0;
    const auto request = tuner::unpack(received.message).get<tuner::CompileRequest>();
    if (request.content.find("CRASH") != std::string::npos) ::raise(SIGKILL);
    channel.send(tuner::pack(tuner::compile(nvrtc, request)));
  }
}

int fail_first(const std::string& marker) {
  if (std::filesystem::exists(marker)) return tuner::run_compile_process();
  tuner::write_file_atomically(marker, "");
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "compile-process") return tuner::run_compile_process();
  if (mode == "crash-on-request") return crash_on_request();
  if (mode == "fail-first" && argc > 2) return fail_first(argv[2]);
  return 1;
}
