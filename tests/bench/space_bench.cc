// How long a large, sparse space takes to visit: a product of 10^9 points, 10^6 of them valid.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space.h"

namespace {

using namespace std::chrono;
using tuner::Value;
namespace expr = tuner::expr;
namespace search = tuner::search;

constexpr std::string_view kNames = "abcdefghi";

// Nine parameters of ten values each.
search::Space space_of(const std::vector<std::string>& constraints) {
  const auto scope = std::make_shared<expr::Scope>();
  std::vector<search::Parameter> parameters;
  for (const char name : kNames) {
    search::Parameter parameter;
    parameter.name = std::string(1, name);
    parameter.slot = scope->add(parameter.name, tuner::Type::integer);
    for (std::int64_t i = 0; i < 10; ++i) parameter.values.emplace_back(i);
    parameters.push_back(std::move(parameter));
  }
  std::vector<search::Constraint> compiled;
  for (const std::string& text : constraints) {
    compiled.push_back({expr::Expression::compile(text, *scope), text});
  }
  return {scope, {}, std::move(parameters), std::move(compiled)};
}

void time_space(const char* what, const std::vector<std::string>& constraints) {
  const auto start = steady_clock::now();
  const search::Space space = space_of(constraints);
  const auto built = steady_clock::now();
  const auto valid = static_cast<unsigned long long>(space.count());
  const auto counted = steady_clock::now();
  std::mt19937_64 random(1);
  const std::size_t drawn = space.sample(1000, random).size();
  const auto sampled = steady_clock::now();
  std::printf(
      "%-28s %.0f points, %llu valid: built in %.1f ms, counted in %.1f ms, %zu drawn in %.1f ms\n",
      what, space.cartesian(), valid, duration<double, std::milli>(built - start).count(),
      duration<double, std::milli>(counted - built).count(), drawn,
      duration<double, std::milli>(sampled - counted).count());
}

}  // namespace

int main() {
  // Each cuts its pair from 100 points to 10, and the last parameters are free.
  time_space("pairs", {"(a + b) % 10 == 0", "(c + d) % 10 == 0", "(e + f) % 10 == 0"});
  time_space("one text with `and`",
             {"(a + b) % 10 == 0 and (c + d) % 10 == 0 and (e + f) % 10 == 0"});
  time_space("declared far apart", {"(a + i) % 10 == 0", "(b + h) % 10 == 0", "(c + g) % 10 == 0"});
  time_space("divisions that err", {"a != 0", "a == 0 or i % a == 0", "b % (c + 1) == 0",
                                    "d * e < 12", "f * g > 40", "h == a"});
  // Large tables, then one that is too large: it is evaluated at the very last depth.
  time_space("one over six parameters", {"a + b + c + d + e + f == 3", "g * h * i == 36"});
  time_space("one over eight parameters", {"a + b + c + d + e + f + g + h == 10", "i < 50"});
}
