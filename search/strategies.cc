#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "search/makers.h"
#include "search/strategy.h"

namespace tuner::search {
namespace {

constexpr std::array<StrategyEntry, 3> kStrategies = {{
    {"model", "the model's best first, then where measurements point (default)", make_model},
    {"random", "uniformly at random, never the same twice", make_random},
    {"exhaustive", "every configuration that the first prune leaves, in order", make_exhaustive},
}};

}  // namespace

std::span<const StrategyEntry> strategies() { return kStrategies; }

std::unique_ptr<Strategy> make_strategy(std::string_view name, StrategyInput input) {
  std::vector<std::string> known;
  for (const StrategyEntry& entry : kStrategies) {
    if (entry.name == name) return entry.make(std::move(input));
    known.emplace_back(entry.name);
  }
  std::string message = fmt::format("there is no strategy '{}'", name);
  if (const auto nearest = expr::nearest_name(name, known)) {
    message += fmt::format("; did you mean '{}'?", *nearest);
  } else {
    message += fmt::format("; the strategies are {}", fmt::join(known, ", "));
  }
  throw TunerError(message);
}

}  // namespace tuner::search
