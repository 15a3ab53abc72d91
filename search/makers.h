// What each strategy's .cc gives to the table in strategies.cc.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace tuner::search {

// In the order of the candidates, then what else the space holds (where they are a sample of it).
std::unique_ptr<Strategy> make_exhaustive(StrategyInput input);
// Uniform over the candidates, without replacement.
std::unique_ptr<Strategy> make_random(StrategyInput input);
// See model.cc.
std::unique_ptr<Strategy> make_model(StrategyInput input);

}  // namespace tuner::search
