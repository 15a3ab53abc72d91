// Prints the nanoseconds that an evaluation takes, on one thread, for expressions as kernels have
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 60;

struct Bench {
  Scope scope;
  std::vector<Cell> cells;

  Bench() {
    add("BM", std::int64_t{128});
    add("BN", std::int64_t{128});
    add("BK", std::int64_t{16});
    add("TM", std::int64_t{8});
    add("TN", std::int64_t{4});
    add("stages", std::int64_t{2});
    add("dtype", std::string("f32"));
    add("k", std::int64_t{4096});
    add("smem_limit", std::int64_t{232448});
    add("lane", std::int64_t{0});
  }

  void add(std::string_view name, const Value& value) {
    scope.add(name, type_of(value));
    cells.push_back(scope.encode(value, type_of(value)));
  }
};

// The shortest of many short rounds: what disturbs one only ever adds to it.
template <class F>
double nanoseconds(std::int64_t repeats, F&& once) {
  double shortest = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < repeats; ++i) once(i);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    const double each = took.count() / static_cast<double>(repeats);
    shortest = round == 0 ? each : std::min(shortest, each);
  }
  return shortest;
}

double time_scalar(Bench& bench, const Expression& expression, std::int64_t& sink) {
  constexpr std::array<std::int64_t, 4> kTiles = {32, 64, 96, 128};
  return nanoseconds(50'000, [&](std::int64_t i) {
    bench.cells[0].i = kTiles[static_cast<std::size_t>(i) % kTiles.size()];
    sink += expression.evaluate(bench.cells).i;
  });
}

double time_lanes(const Bench& bench, const Expression& expression, std::int64_t& sink) {
  const std::array<int, 1> varying = {*bench.scope.find("lane")};
  std::array<std::array<Cell, kLanes>, 1> lanes;
  for (int lane = 0; lane < kLanes; ++lane) lanes[0][static_cast<std::size_t>(lane)].i = lane;
  std::array<Cell, kLanes> result;
  return nanoseconds(2'000, [&](std::int64_t /*i*/) {
    expression.evaluate_lanes(bench.cells, varying, lanes, result);
    sink += result[kLanes - 1].i;
  });
}

void run() {
  Bench bench;
  std::int64_t sink = 0;
  for (const std::string_view text : {
           "BM % TM == 0",
           "BM % TM == 0 and (BM/TM)*(BN/TN) <= 1024",
           "(BM + BN) * BK * sizeof(dtype) * stages <= smem_limit",
           "BM % TM == 0 and BN % TN == 0 and BK % 4 == 0 and is_pow2(BM) and stages <= 4",
           "1e-6 * sqrt(k) + 1e-5",
           "stages > 1 ? BM * BK : BN * BK",
       }) {
    const auto expression = Expression::compile(text, bench.scope);
    fmt::print("{:8.2f} ns  {}\n", time_scalar(bench, expression, sink), text);
  }
  for (const std::string_view text : {
           "lane * 4",
           "(lane / 8 * BK + lane % 8 * 4) * sizeof(dtype)",
           "lane < 16 ? lane * BK : (lane - 16) * BN",
       }) {
    const auto expression = Expression::compile(text, bench.scope);
    fmt::print("{:8.2f} ns  32 lanes of {}\n", time_lanes(bench, expression, sink), text);
  }
  fmt::print("(checksum {})\n", sink);
}

}  // namespace
}  // namespace tuner::expr

int main() { tuner::expr::run(); }
