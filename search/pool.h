// The configurations that a strategy may still ask, best predicted first.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "search/strategy.h"

namespace tuner::search {

class Pool {
 public:
  struct Item {
    Config config;
    double log_ns = 0;  // the natural logarithm of the predicted time
    bool taken = false;
  };

  // Candidates of equal prediction stand in random order. A repeated one counts once.
  Pool(std::vector<Candidate> candidates, std::mt19937_64& random);

  // By prediction; behind them, what was added later.
  const std::vector<Item>& items() const { return items_; }
  const Item& operator[](std::size_t item) const { return items_[item]; }
  std::size_t left() const { return left_; }  // not taken
  // Moves an index up to the first item that is not taken; items().size() where all are.
  std::size_t skip_taken(std::size_t item) const;

  std::optional<std::size_t> find(const Config& config) const;
  std::size_t add(const Config& config, double predicted_ns);  // that find() does not know
  void take(std::size_t item);
  std::optional<std::size_t> draw(std::mt19937_64& random) const;  // one that is not taken

 private:
  std::vector<Item> items_;
  std::unordered_map<Config, std::size_t, ConfigHash> index_;
  std::size_t left_ = 0;
};

// The number of parameters in which two configurations differ.
std::size_t differences(const Config& a, const Config& b);
// Up to n untaken items from the head of the pool: good predictions, but not near-duplicates.
std::vector<std::size_t> diverse_head(const Pool& pool, std::size_t n);

}  // namespace tuner::search
