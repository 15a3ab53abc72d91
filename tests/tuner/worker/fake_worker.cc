// fake_worker MODE: a measuring process for the tests, without a GPU. What it does is told by the
// mode and by the ids of the jobs.
//   serve                 sets up, and does with each job what its id says
//   fail-setup            answers every setup with an error
//   fail-first FILE       ends with exit code 3 the first time (it makes FILE), then serves
//   silent                answers nothing
// Ids: crash, hang, exit, garbage, shapeless, error; broken (a result of a process that then ends);
// crash-late (in the second round of a comparison); any other is measured.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tuner/measure/json.h"
#include "tuner/os/child_process.h"
#include "tuner/worker/message.h"

namespace {

using nlohmann::json;
using tuner::Channel;

[[noreturn]] void hang() {
  for (;;) ::pause();
}

tuner::MeasureResult measured(const std::string& id) {
  tuner::MeasureResult result;
  result.id = id;
  result.time_ns = 1000;
  // Tells the processes apart.
  result.clock_mhz = ::getpid();
  result.verified = true;
  if (id == "broken") {
    result.status = "crash";
    result.reason = "CUDA_ERROR_ILLEGAL_ADDRESS";
  }
  if (id == "wrong") result.status = "wrong";
  return result;
}

void misbehave(Channel& channel, const std::string& id) {
  if (id == "crash") std::raise(SIGKILL);
  if (id == "hang") hang();
  if (id == "exit") std::_Exit(7);
  if (id == "garbage") channel.send("\xc1 no message");
  if (id == "shapeless") channel.send(tuner::to_message({{"type", "result"}, {"result", 5}}));
  if (id == "error") channel.send(tuner::to_message({{"type", "error"}, {"message", "no luck"}}));
}

bool is_sound(const std::string& id) {
  return id != "garbage" && id != "shapeless" && id != "error";
}

void serve_measure(Channel& channel, const json& request) {
  const auto id = request.at("job").at("id").get<std::string>();
  misbehave(channel, id);
  if (!is_sound(id)) return;
  const bool broken = id == "broken";
  channel.send(
      tuner::to_message({{"type", "result"}, {"result", measured(id)}, {"broken", broken}}));
  if (broken) std::_Exit(0);
}

void serve_compare(Channel& channel, const json& request) {
  const auto job = request.at("job").get<tuner::CompareJob>();
  bool broken = false;
  std::vector<tuner::MeasureResult> results(job.jobs.size());
  for (int round = 0; round < job.rounds && !broken; ++round) {
    for (std::size_t i = 0; i < job.jobs.size() && !broken; ++i) {
      const std::string& id = job.jobs[i].id;
      channel.send(tuner::to_message({{"type", "at"}, {"index", i}}));
      misbehave(channel, id);
      if (!is_sound(id)) return;
      if (id == "crash-late" && round == 1) std::raise(SIGKILL);
      results[i] = measured(id);
      broken = id == "broken";
    }
  }
  channel.send(tuner::to_message({{"type", "compared"}, {"results", results}, {"broken", broken}}));
  if (broken) std::_Exit(0);
}

int serve(Channel channel, bool fail_setup) {
  for (;;) {
    const Channel::Received received = channel.receive(std::nullopt);
    if (received.outcome != Channel::Outcome::message) return 0;
    const json request = tuner::from_message(received.message);
    const auto type = request.at("type").get<std::string>();
    if (type == "setup" && fail_setup) {
      channel.send(tuner::to_message({{"type", "error"}, {"message", "no memory"}}));
    } else if (type == "setup") {
      channel.send(tuner::to_message({{"type", "ready"}}));
    } else if (type == "measure") {
      serve_measure(channel, request);
    } else if (type == "compare") {
      serve_compare(channel, request);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "fail-first" && !std::filesystem::exists(argv[2])) {
    std::ofstream(argv[2]) << "here";
    return 3;
  }
  if (mode == "silent") hang();
  return serve(tuner::adopt_channel(), mode == "fail-setup");
}
