#include <gtest/gtest.h>

#include <string>

#include "expr/expression.h"
#include "tests/expr/fixture.h"
#include "tests/expr/random_text.h"

namespace tuner::expr {
namespace {

struct Outcome {
  int compiled = 0;
  int refused = 0;
  int failed = 0;
};

// Whatever the text, it has a value or one ExpressionError with a position inside it.
void try_text(const Names& names, const std::string& text, Outcome& outcome) {
  bool compiled = false;
  try {
    const Expression expression = names.compile(text);
    compiled = true;
    ++outcome.compiled;
    const Value value = expression.value(names.cells());
    EXPECT_EQ(type_of(value), expression.type()) << text;
  } catch (const ExpressionError& error) {
    ++(compiled ? outcome.failed : outcome.refused);
    EXPECT_LE(error.position(), text.size());
    EXPECT_FALSE(error.reason().empty());
  }
}

TEST(RobustnessTest, RandomBytes) {
  const Names names;
  RandomText random(1);
  Outcome outcome;
  for (int i = 0; i < 20'000; ++i) try_text(names, random.bytes(random.below(40)), outcome);
  EXPECT_GT(outcome.refused, 0);
}

TEST(RobustnessTest, RandomTokens) {
  const Names names;
  RandomText random(2);
  Outcome outcome;
  for (int i = 0; i < 100'000; ++i) try_text(names, random.tokens(1 + random.below(12)), outcome);
  EXPECT_GT(outcome.refused, 1000);
  EXPECT_GT(outcome.compiled, 1000);
  EXPECT_GT(outcome.failed, 0);
}

TEST(RobustnessTest, EveryPrefixOfAText) {
  const Names names;
  const std::string text =
      "not (on and n % 4 == 0) or (dtype == 'f32' ? ceil_div(n, 0x10) : floor(x * 1.5e3)) >= "
      "min(1, 2, -BM) + sizeof(\"f16\")";
  Outcome outcome;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    try_text(names, text.substr(0, length), outcome);
  }
  EXPECT_GT(outcome.compiled, 0);
}

TEST(RobustnessTest, RandomTemplates) {
  const Names names;
  RandomText random(3);
  int rendered = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = random.tokens(2) + "${" + random.tokens(1 + random.below(4)) +
                             (random.below(8) == 0 ? "" : "}") + random.tokens(1);
    try {
      (void)Template::compile(text, names.scope()).render(names.cells());
      ++rendered;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.position(), text.size());
    }
  }
  EXPECT_GT(rendered, 100);
}

}  // namespace
}  // namespace tuner::expr
