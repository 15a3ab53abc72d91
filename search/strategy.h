// Decides which configurations are tried next. Seeded, no I/O, used from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/space.h"
#include "search/trial.h"

namespace tuner::search {

// A configuration that survived the first prune, with the model's time.
struct Candidate {
  Config config;
  double predicted_ns = 0;
};

struct StrategyInput {
  const Space* space = nullptr;       // outlives the strategy
  std::vector<Candidate> candidates;  // what survived the first prune, or a sample of it where huge
  // The model's time for any valid configuration (neighbours may lie outside a sampled candidate
  // list); nullopt where the first prune drops it.
  std::function<std::optional<double>(const Config&)> predict;
  std::uint64_t seed = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to n configurations, none that was asked before; fewer, or none, where there is nothing left
  // to ask *now*. Results of earlier batches may still be outstanding: the caller asks again after
  // tell().
  virtual std::vector<Config> ask(std::size_t n) = 0;
  virtual void tell(std::span<const Trial> trials) = 0;
  // True once nothing is left to ask whatever is told.
  virtual bool exhausted() const = 0;
};

struct StrategyEntry {
  std::string_view name;
  std::string_view summary;  // one line for --help
  std::unique_ptr<Strategy> (*make)(StrategyInput input);
};
// Every strategy there is: exhaustive, random, model (the default).
std::span<const StrategyEntry> strategies();
// Throws TunerError with the nearest name where there is none of that name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, StrategyInput input);

}  // namespace tuner::search
