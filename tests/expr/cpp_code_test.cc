// Expressions written out as C++: what is known is computed, the rest is code.
#include "expr/cpp_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

class CppCode : public testing::Test {
 protected:
  CppCode() {
    scope_.add("n", Type::integer);
    scope_.add("block", Type::integer);
    scope_.add("alpha", Type::real);
    scope_.add("fast", Type::boolean);
    scope_.add("dtype", Type::text);
    known_.resize(5);
    known_[1] = Cell{.i = 128};
    known_[4] = scope_.encode(std::string("f32"), Type::text);
  }
  std::string cpp(const std::string& text) {
    return Expression::compile(text, scope_).cpp(known_, [&](int slot) {
      return "p." + scope_.name(slot);
    });
  }
  Scope scope_;
  std::vector<std::optional<Cell>> known_;
};

TEST_F(CppCode, ComputesWhatIsKnown) {
  EXPECT_EQ(cpp("block * 2"), "256LL");
  EXPECT_EQ(cpp("-block"), "(-128LL)");
  EXPECT_EQ(cpp("sizeof(dtype) * block"), "512LL");
  EXPECT_EQ(cpp("block / 3.0"), "42.666666666666664");
  EXPECT_EQ(cpp("to_real(block)"), "128.0");
  EXPECT_EQ(cpp("dtype == 'f32'"), "true");
  EXPECT_EQ(cpp("-9223372036854775808"), "(-9223372036854775807LL - 1)");
}

TEST_F(CppCode, WritesWhatIsNot) {
  EXPECT_EQ(cpp("n"), "p.n");
  EXPECT_EQ(cpp("ceil_div(n, block * 4)"), "ceil_div(p.n, 512LL)");
  EXPECT_EQ(cpp("n % block == 0"), "((p.n % 128LL) == 0LL)");
  EXPECT_EQ(cpp("n * alpha"), "(static_cast<double>(p.n) * p.alpha)");
  EXPECT_EQ(cpp("min(n, block)"), "smaller(p.n, 128LL)");
  EXPECT_EQ(cpp("alpha / block"), "(p.alpha / 128.0)");
}

TEST_F(CppCode, TakesKnownBranchesAndWritesTheOthers) {
  EXPECT_EQ(cpp("block > 64 ? n : n / 0"), "p.n");
  EXPECT_EQ(cpp("n > 64 ? n : block"), "((64LL < p.n) ? p.n : 128LL)");
  EXPECT_EQ(cpp("fast and n > 1"), "(p.fast && (1LL < p.n))");
  EXPECT_EQ(cpp("fast or n > 1"), "(p.fast || (1LL < p.n))");
  EXPECT_EQ(cpp("not fast"), "(!p.fast)");
  EXPECT_EQ(cpp("block == 64 or fast"), "p.fast");
  EXPECT_EQ(cpp("block == 64 and fast"), "false");
  EXPECT_EQ(cpp("1 + (fast ? n : block)"), "(p.fast ? (1LL + p.n) : 129LL)");
}

TEST(CppLiteral, KeepsTheValue) {
  EXPECT_EQ(cpp_integer(-1), "(-1LL)");
  EXPECT_EQ(cpp_integer(std::numeric_limits<std::int64_t>::min()), "(-9223372036854775807LL - 1)");
  EXPECT_EQ(cpp_real(2), "2.0");
  EXPECT_EQ(cpp_real(-0.1), "(-0.1)");
  EXPECT_EQ(cpp_real(1e300), "1e+300");
}

TEST_F(CppCode, RefusesWhatHasNoCode) {
  EXPECT_THROW(cpp("dtype"), ExpressionError);
  EXPECT_THROW(cpp("block / (block - 128)"), ExpressionError);
  std::string text = "0";
  for (int i = 0; i < 12; ++i) text += " + (n > " + std::to_string(i) + " ? 1 : 2)";
  EXPECT_THROW(cpp(text), ExpressionError);
  known_[4].reset();
  EXPECT_THROW(cpp("sizeof(dtype) * n"), ExpressionError);
}

}  // namespace
}  // namespace tuner::expr
