#include "tuner/cli/suggest.h"

#include "expr/expression.h"

namespace tuner {

std::string did_you_mean(const std::string& name, std::span<const std::string> known) {
  const auto nearest = expr::nearest_name(name, known);
  return nearest ? " (did you mean " + *nearest + "?)" : "";
}

}  // namespace tuner
