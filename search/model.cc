// The default strategy. It opens with the model's best, spread out; then each turn of a fixed round
// asks the best of what a surrogate (the model, corrected by what was measured), the neighbours of
// the fastest, the model alone, or chance proposes. Failures teach a second surrogate, whose
// estimate of the chance to fail counts against a configuration.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "search/makers.h"
#include "search/pool.h"
#include "search/surrogate.h"

namespace tuner::search {
namespace {

constexpr std::size_t kOpening = 20;
constexpr std::size_t kShortlist = 256;
constexpr std::size_t kScoredHead = std::size_t{1} << 14U;  // scored at each refresh: the head, and
constexpr std::size_t kScoredSlice = std::size_t{1} << 13U;  // a slice of the rest, in turn
constexpr std::size_t kFastest = 4;                          // whose neighbours are looked at
constexpr std::size_t kMostLearned = 320;                    // observations a fit takes
constexpr double kFailureCost = 2;                           // in log time, of certain failure

// `promising` is the surrogate's best of a few drawn at random.
enum class Source { surrogate, neighbour, model, chance, promising };
using Round = std::array<Source, 10>;
constexpr Round kRound = {
    Source::surrogate, Source::neighbour, Source::surrogate, Source::surrogate, Source::chance,
    Source::surrogate, Source::neighbour, Source::surrogate, Source::surrogate, Source::model,
};
// Where nothing has become faster for a while, the neighbourhood is done: look further away.
constexpr Round kStuckRound = {
    Source::surrogate, Source::promising, Source::neighbour, Source::chance,    Source::model,
    Source::surrogate, Source::promising, Source::surrogate, Source::promising, Source::chance,
};
constexpr std::size_t kStuckAfter = 40;  // trials without a faster one
constexpr int kDraws = 4;                // drawn at random, of which the surrogate's best is asked

class Model : public Strategy {
 public:
  explicit Model(StrategyInput input)
      : space_(input.space),
        predict_(std::move(input.predict)),
        random_(input.seed),
        pool_(std::move(input.candidates), random_),
        listed_(pool_.items().size()),
        features_(*space_),
        time_(features_),
        failure_(features_),
        opening_(diverse_head(pool_, kOpening)) {}

  std::vector<Config> ask(std::size_t n) override;
  void tell(std::span<const Trial> trials) override;
  bool exhausted() const override { return pool_.left() == 0 && outstanding_.empty(); }

 private:
  struct Scored {
    double score = 0;
    std::size_t item = 0;
    bool operator<(const Scored& other) const {
      return std::pair(score, item) < std::pair(other.score, other.item);
    }
  };

  std::optional<std::size_t> pick(const std::vector<Config>& batch);
  std::optional<std::size_t> pick_from(Source source, const std::vector<Config>& batch);
  std::optional<std::size_t> first_apart(const std::vector<Scored>& ranked,
                                         const std::vector<Config>& batch) const;
  std::size_t item_of(const Trial& trial);
  std::optional<std::size_t> draw_promising();
  void learn(const Trial& trial, double log_predicted);
  void refresh();
  void fit();
  void rank_candidates();
  void rank_neighbours();
  void expand(const Config& config);
  void expand_rest();
  Scored scored(std::size_t item) const;

  const Space* space_;
  std::function<std::optional<double>(const Config&)> predict_;
  std::mt19937_64 random_;
  Pool pool_;
  std::size_t listed_;  // items that were candidates; those behind came as neighbours
  Features features_;
  Surrogate time_;
  Surrogate failure_;
  std::vector<std::size_t> opening_;
  std::size_t opened_ = 0;
  std::size_t turn_ = 0;
  std::size_t slice_ = 0;
  std::size_t model_next_ = 0;
  double fastest_ns_ = std::numeric_limits<double>::infinity();
  std::size_t since_faster_ = 0;  // trials

  std::unordered_set<Config, ConfigHash> outstanding_;
  std::vector<Observation> times_;     // log ns
  std::vector<Observation> failures_;  // 1 where it failed, 0 where not
  bool any_failed_ = false;
  bool stale_ = true;  // something was told since the last refresh
  std::vector<Scored> shortlist_;
  std::vector<Scored> neighbours_;
  std::vector<std::size_t> neighbour_items_;
  std::unordered_set<Config, ConfigHash> expanded_;
};

std::vector<Config> Model::ask(std::size_t n) {
  if (pool_.left() == 0) expand_rest();
  std::vector<Config> batch;
  while (batch.size() < n && pool_.left() > 0) {
    const std::optional<std::size_t> item = pick(batch);
    if (!item) break;
    pool_.take(*item);
    outstanding_.insert(pool_[*item].config);
    batch.push_back(pool_[*item].config);
  }
  return batch;
}

void Model::tell(std::span<const Trial> trials) {
  for (const Trial& trial : trials) {
    outstanding_.erase(trial.config);
    const std::size_t item = item_of(trial);
    pool_.take(item);
    learn(trial, pool_[item].log_ns);
  }
  stale_ = true;
  if (exhausted()) expand_rest();
}

// What an earlier run measured, say, is told without having been asked, and may be no candidate.
std::size_t Model::item_of(const Trial& trial) {
  if (const auto item = pool_.find(trial.config)) return *item;
  const std::optional<double> predicted_ns = predict_ ? predict_(trial.config) : std::nullopt;
  return pool_.add(trial.config, predicted_ns.value_or(trial.time_ns));
}

void Model::learn(const Trial& trial, double log_predicted) {
  if (trial.status == Status::pruned) return;
  const bool failed = trial.status != Status::ok;
  failures_.push_back({trial.config, 0, failed ? 1.0 : 0.0, 1});
  any_failed_ = any_failed_ || failed;
  ++since_faster_;
  if (failed || !(trial.time_ns > 0)) return;
  if (trial.time_ns < fastest_ns_) {
    fastest_ns_ = trial.time_ns;
    since_faster_ = 0;
  }
  times_.push_back({trial.config, log_predicted, std::log(trial.time_ns), 1});
}

std::optional<std::size_t> Model::pick(const std::vector<Config>& batch) {
  while (opened_ < opening_.size()) {
    const std::size_t item = opening_[opened_++];
    if (!pool_[item].taken) return item;
  }
  refresh();
  const Round& round = since_faster_ > kStuckAfter ? kStuckRound : kRound;
  const Source source = round[turn_++ % round.size()];
  if (const auto item = pick_from(source, batch)) return item;
  if (const auto item = pick_from(Source::surrogate, batch)) return item;
  return pick_from(Source::model, batch);
}

std::optional<std::size_t> Model::pick_from(Source source, const std::vector<Config>& batch) {
  switch (source) {
    case Source::surrogate:
      return first_apart(shortlist_, batch);
    case Source::neighbour:
      return first_apart(neighbours_, batch);
    case Source::chance:
      return pool_.draw(random_);
    case Source::promising:
      return draw_promising();
    case Source::model:
      break;
  }
  model_next_ = pool_.skip_taken(model_next_);
  if (model_next_ < pool_.items().size()) return model_next_;
  return std::nullopt;
}

// The first that is no near-duplicate of the batch, else the first.
std::optional<std::size_t> Model::first_apart(const std::vector<Scored>& ranked,
                                              const std::vector<Config>& batch) const {
  std::optional<std::size_t> first;
  for (const Scored& entry : ranked) {
    const Pool::Item& item = pool_[entry.item];
    if (item.taken) continue;
    if (!first) first = entry.item;
    const bool apart = std::all_of(batch.begin(), batch.end(), [&](const Config& other) {
      return differences(item.config, other) > 1;
    });
    if (apart) return entry.item;
  }
  return first;
}

std::optional<std::size_t> Model::draw_promising() {
  std::optional<Scored> best;
  for (int i = 0; i < kDraws; ++i) {
    const std::optional<std::size_t> item = pool_.draw(random_);
    if (!item) break;
    const Scored drawn = scored(*item);
    if (!best || drawn < *best) best = drawn;
  }
  if (!best) return std::nullopt;
  return best->item;
}

void Model::refresh() {
  if (!std::exchange(stale_, false)) return;
  fit();
  rank_neighbours();
  rank_candidates();
}

void Model::fit() {
  if (times_.empty() && !any_failed_) return;
  std::sort(times_.begin(), times_.end(),
            [](const Observation& a, const Observation& b) { return a.target < b.target; });
  for (Observation& seen : times_) {
    // The fast ones decide: what is twice as slow need not be described as well.
    seen.weight = std::exp(times_.front().target - seen.target);
  }
  time_.fit(std::span(times_).first(std::min(times_.size(), kMostLearned)));
  if (any_failed_) {
    failure_.fit(std::span(failures_).last(std::min(failures_.size(), kMostLearned)));
  }
}

Model::Scored Model::scored(std::size_t item) const {
  const Config& config = pool_[item].config;
  double score = time_.estimate(config, pool_[item].log_ns);
  if (any_failed_) {
    // A configuration that runs as likely as not is worth a trial; the estimate is smooth, and what
    // is fast often lies right beside what is too large to run.
    const double chance = failure_.estimate(config, 0);
    score += kFailureCost * std::clamp(2 * chance - 1, 0.0, 1.0);
  }
  return {score, item};
}

void Model::rank_candidates() {
  shortlist_.clear();
  const auto consider = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!pool_[i].taken) shortlist_.push_back(scored(i));
    }
  };
  const std::size_t head = std::min(listed_, kScoredHead);
  consider(0, head);
  if (const std::size_t rest = listed_ - head; rest > 0) {
    const std::size_t begin = head + slice_ % rest;
    consider(begin, std::min(listed_, begin + kScoredSlice));
    slice_ += kScoredSlice;
  }
  const std::size_t kept = std::min(shortlist_.size(), kShortlist);
  std::partial_sort(shortlist_.begin(), shortlist_.begin() + kept, shortlist_.end());
  shortlist_.resize(kept);
}

void Model::rank_neighbours() {
  for (std::size_t i = 0; i < std::min(times_.size(), kFastest); ++i) expand(times_[i].config);
  neighbours_.clear();
  std::erase_if(neighbour_items_, [&](std::size_t item) { return pool_[item].taken; });
  for (const std::size_t item : neighbour_items_) neighbours_.push_back(scored(item));
  std::sort(neighbours_.begin(), neighbours_.end());
}

void Model::expand(const Config& config) {
  if (!expanded_.insert(config).second) return;
  for (const Config& other : space_->neighbors(config, Space::Reach::any)) {
    std::optional<std::size_t> item = pool_.find(other);
    if (!item && predict_) {
      if (const auto predicted_ns = predict_(other)) item = pool_.add(other, *predicted_ns);
    }
    if (item && !pool_[*item].taken) neighbour_items_.push_back(*item);
  }
}

// With nothing left that was given, the neighbours of all that ran, the fastest first, are what is
// left.
void Model::expand_rest() {
  for (std::size_t i = 0; i < times_.size() && pool_.left() == 0; ++i) expand(times_[i].config);
  stale_ = true;
}

}  // namespace

std::unique_ptr<Strategy> make_model(StrategyInput input) {
  return std::make_unique<Model>(std::move(input));
}

}  // namespace tuner::search
