#include <unordered_set>
#include <utility>

#include "search/makers.h"
#include "search/walk.h"

namespace tuner::search {
namespace {

class Exhaustive : public Strategy {
 public:
  explicit Exhaustive(StrategyInput input)
      : candidates_(std::move(input.candidates)),
        predict_(std::move(input.predict)),
        walk_(input.space->walk()) {}

  std::vector<Config> ask(std::size_t n) override {
    std::vector<Config> batch;
    while (batch.size() < n && !exhausted_) {
      std::optional<Config> config = next();
      exhausted_ = !config.has_value();
      if (!exhausted_) batch.push_back(std::move(*config));
    }
    return batch;
  }

  void tell(std::span<const Trial> trials) override {
    for (const Trial& trial : trials) seen_.insert(trial.config);
  }

  bool exhausted() const override { return exhausted_; }

 private:
  std::optional<Config> next() {
    while (next_candidate_ < candidates_.size()) {
      const Config& config = candidates_[next_candidate_++].config;
      if (seen_.insert(config).second) return config;
    }
    while (predict_ && walk_.next()) {
      const Config& config = walk_.config();
      if (!seen_.contains(config) && predict_(config) && seen_.insert(config).second) return config;
    }
    return std::nullopt;
  }

  std::vector<Candidate> candidates_;
  std::size_t next_candidate_ = 0;
  std::function<std::optional<double>(const Config&)> predict_;
  Walk walk_;  // for what is not among the candidates
  std::unordered_set<Config, ConfigHash> seen_;
  bool exhausted_ = false;  // known once a look for the next one has failed
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(StrategyInput input) {
  return std::make_unique<Exhaustive>(std::move(input));
}

}  // namespace tuner::search
