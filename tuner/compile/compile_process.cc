#include <optional>

#include "expr/error.h"
#include "tuner/compile/compile_message.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/nvrtc.h"
#include "tuner/compile/nvrtc_compile.h"
#include "tuner/os/child_process.h"

namespace tuner {
namespace {

// Nullopt once the pool has closed the channel.
std::optional<nlohmann::json> next_message(Channel& channel) {
  const Channel::Received received = channel.receive(std::nullopt);
  if (received.outcome != Channel::Outcome::message) return std::nullopt;
  return unpack(received.message);
}

std::optional<Nvrtc> load_as_told(Channel& channel) {
  const auto greeting = next_message(channel);
  if (!greeting) return std::nullopt;
  try {
    const Nvrtc nvrtc = load_nvrtc(greeting->at("library").get<std::string>());
    channel.send(pack({{"problem", ""}}));
    return nvrtc;
  } catch (const TunerError& error) {
    channel.send(pack({{"problem", error.what()}}));
    return std::nullopt;
  }
}

}  // namespace

int run_compile_process() {
  Channel channel = adopt_channel();
  const auto nvrtc = load_as_told(channel);
  while (nvrtc) {
    const auto message = next_message(channel);
    if (!message || !channel.send(pack(compile(*nvrtc, message->get<CompileRequest>())))) break;
  }
  return 0;
}

}  // namespace tuner
