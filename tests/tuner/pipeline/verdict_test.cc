#include "tuner/pipeline/verdict.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

search::Space block_space() {
  auto scope = std::make_shared<expr::Scope>();
  search::Parameter block{"block", scope->add("block", Type::integer), {}, 0};
  for (const std::int64_t value : {64, 128, 256}) block.values.emplace_back(value);
  return search::Space(scope, std::vector<expr::Cell>(1), {block}, {});
}

Finalist finalist(std::uint16_t choice, double time_ns, double half_width,
                  const std::string& status = "ok") {
  Finalist f;
  f.config.choice = {choice};
  f.result.status = status;
  f.result.verified = status == "ok";
  f.result.time_ns = time_ns;
  f.result.low_ns = time_ns - half_width;
  f.result.high_ns = time_ns + half_width;
  return f;
}

TEST(Verdict, FastestWinsBeyondTheNoise) {
  const Verdict verdict =
      judge(block_space(), std::vector{finalist(0, 120, 1), finalist(1, 100, 1)});
  EXPECT_EQ(verdict.winner, 1u);
  EXPECT_TRUE(verdict.ties.empty());
}

TEST(Verdict, WithinTheNoiseTheSimplerWinsAndTheTieIsDeclared) {
  const Verdict verdict =
      judge(block_space(), std::vector{finalist(1, 100, 3), finalist(0, 102, 3)});
  EXPECT_EQ(verdict.winner, 1u);
  EXPECT_EQ(verdict.ties, std::vector<std::size_t>{0});
}

TEST(Verdict, NothingUnverifiedWins) {
  Finalist unverified = finalist(1, 10, 0.1);
  unverified.result.verified = false;
  const Verdict verdict = judge(
      block_space(), std::vector{unverified, finalist(2, 5, 0.1, "wrong"), finalist(0, 0, 0)});
  EXPECT_FALSE(verdict.winner.has_value());
}

}  // namespace
}  // namespace tuner
