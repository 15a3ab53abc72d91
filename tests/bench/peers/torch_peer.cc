#include "tests/bench/peers/torch_peer.h"

#include <fmt/format.h>

#include <limits>

#include "expr/error.h"
#include "tuner/os/child_process.h"

namespace tuner::bench {
namespace {

constexpr std::chrono::minutes kStartLimit{2};  // importing PyTorch can take long
constexpr std::chrono::seconds kSampleLimit{30};

class TorchSide : public Side {
 public:
  TorchSide(ChildProcess child, std::string name, bool one_launch)
      : child_(std::move(child)), name_(std::move(name)), one_launch_(one_launch) {}
  std::string describe() const override { return name_; }
  int wanted_launches() override { return one_launch_ ? 1 : std::numeric_limits<int>::max(); }
  void use_launches(int launches) override { launches_ = launches; }

  double sample_ns() override {
    child_.channel().send(std::to_string(launches_));
    const Channel::Received answer = child_.channel().receive(kSampleLimit);
    if (answer.outcome != Channel::Outcome::message) {
      throw TunerError(name_ + ": the process ended or hangs; its messages are above");
    }
    return std::stod(answer.message);
  }

 private:
  ChildProcess child_;
  std::string name_;
  bool one_launch_;
  int launches_ = 1;
};

}  // namespace

std::unique_ptr<Side> make_torch_side(const TorchGather& gather, std::string& problem) {
  ChildProcess child =
      ChildProcess::spawn({"/usr/bin/env", "python3", TUNER_TORCH_GATHER, std::to_string(gather.n),
                           gather.pattern, gather.call, gather.cold ? "cold" : "warm"});
  const Channel::Received answer = child.channel().receive(kStartLimit);
  const std::string ready = "ready ";
  if (answer.outcome != Channel::Outcome::message || !answer.message.starts_with(ready)) {
    problem = answer.message.empty() ? "python3 did not answer" : answer.message;
    return nullptr;
  }
  const std::string version = answer.message.substr(ready.size());
  return std::make_unique<TorchSide>(
      std::move(child), fmt::format("PyTorch {} {}", version, gather.call), gather.cold);
}

}  // namespace tuner::bench
