#include <unordered_set>
#include <utility>

#include "search/makers.h"
#include "search/random_index.h"

namespace tuner::search {
namespace {

class Random : public Strategy {
 public:
  explicit Random(StrategyInput input) : left_(std::move(input.candidates)) {
    std::mt19937_64 random(input.seed);
    shuffle<Candidate>(left_, random);
  }

  std::vector<Config> ask(std::size_t n) override {
    std::vector<Config> batch;
    while (batch.size() < n && !left_.empty()) {
      batch.push_back(std::move(left_.back().config));
      left_.pop_back();
      drop_told();
    }
    return batch;
  }

  void tell(std::span<const Trial> trials) override {
    for (const Trial& trial : trials) told_.insert(trial.config);
    drop_told();
  }

  bool exhausted() const override { return left_.empty(); }

 private:
  // What an earlier run measured, say, is told without having been asked.
  void drop_told() {
    while (!left_.empty() && told_.contains(left_.back().config)) left_.pop_back();
  }

  std::vector<Candidate> left_;  // the next one last
  std::unordered_set<Config, ConfigHash> told_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(StrategyInput input) {
  return std::make_unique<Random>(std::move(input));
}

}  // namespace tuner::search
