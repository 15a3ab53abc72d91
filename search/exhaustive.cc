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
        walk_(input.space->walk()),
        next_(find_next()) {}

  std::vector<Config> ask(std::size_t n) override {
    std::vector<Config> batch;
    while (batch.size() < n && next_) {
      seen_.insert(*next_);
      batch.push_back(std::move(*next_));
      next_ = find_next();
    }
    return batch;
  }

  void tell(std::span<const Trial> trials) override {
    for (const Trial& trial : trials) seen_.insert(trial.config);
    if (next_ && seen_.contains(*next_)) next_ = find_next();
  }

  bool exhausted() const override { return !next_; }

 private:
  std::optional<Config> find_next() {
    while (next_candidate_ < candidates_.size()) {
      const Config& config = candidates_[next_candidate_++].config;
      if (!seen_.contains(config)) return config;
    }
    while (predict_ && walk_.next()) {
      const Config& config = walk_.config();
      if (!seen_.contains(config) && predict_(config)) return config;
    }
    return std::nullopt;
  }

  std::vector<Candidate> candidates_;
  std::size_t next_candidate_ = 0;
  std::function<std::optional<double>(const Config&)> predict_;
  Walk walk_;  // for what is not among the candidates
  std::unordered_set<Config, ConfigHash> seen_;
  std::optional<Config> next_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(StrategyInput input) {
  return std::make_unique<Exhaustive>(std::move(input));
}

}  // namespace tuner::search
