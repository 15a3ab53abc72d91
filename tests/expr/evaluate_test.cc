#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "expr/expression.h"
#include "tests/expr/fixture.h"

namespace tuner::expr {
namespace {

struct Case {
  const char* text;
  Value expected;
};

Value whole(std::int64_t number) { return number; }

void expect_values(const std::vector<Case>& cases) {
  const Names names;
  for (const auto& [text, expected] : cases) {
    const Value actual = names.value(text);
    EXPECT_EQ(actual, expected) << text << " is " << to_string(actual) << " of type "
                                << to_string(type_of(actual));
  }
}

TEST(EvaluateTest, Literals) {
  expect_values({
      {"12", whole(12)},
      {"0x10", whole(16)},
      {"0XfF", whole(255)},
      {"010", whole(10)},
      {"9223372036854775807", whole(INT64_MAX)},
      {"0x7fffffffffffffff", whole(INT64_MAX)},
      {"-9223372036854775808", whole(INT64_MIN)},
      {"1.5", 1.5},
      {"2e9", 2e9},
      {"1.5E-3", 0.0015},
      {"true", true},
      {"false", false},
      {"'text'", std::string("text")},
      {"\"it's\"", std::string("it's")},
      {"''", std::string()},
      {" \t\r\n 7 ", whole(7)},
  });
}

TEST(EvaluateTest, Names) {
  expect_values({
      {"n", whole(12)},
      {"x", 2.5},
      {"on", true},
      {"dtype", std::string("f32")},
      {"(n)", whole(12)},
  });
}

TEST(EvaluateTest, IntegersTruncateTowardZero) {
  expect_values({
      {"7 / 2", whole(3)},
      {"-7 / 2", whole(-3)},
      {"7 / -2", whole(-3)},
      {"7 % 3", whole(1)},
      {"-7 % 3", whole(-1)},
      {"7 % -3", whole(1)},
      {"n * BM - k", whole(768)},
      {"-n", whole(-12)},
      {"- -n", whole(12)},
      {"small + big", whole(-1)},
  });
}

TEST(EvaluateTest, IntegersWidenBesideReals) {
  expect_values({
      {"1 + 0.5", 1.5},
      {"0.5 + 1", 1.5},
      {"n / 8.0", 1.5},
      {"n * x", 30.0},
      {"x - n", -9.5},
      {"(n + BM) * x", 190.0},
      {"x * (n + BM)", 190.0},
      {"n < 12.5", true},
      {"12.0 == n", true},
      {"on ? n : x", 12.0},
      {"off ? n : x", 2.5},
      {"on ? x : n", 2.5},
      {"off ? x : n", 12.0},
      {"on ? n + 1 : x", 13.0},
      {"off ? x : n + 1", 13.0},
      {"(on ? n : 1) + (off ? 1 : x)", 14.5},
      {"-x", -2.5},
  });
}

TEST(EvaluateTest, PrecedenceAndAssociativity) {
  expect_values({
      {"2 + 3 * 4", whole(14)},
      {"(2 + 3) * 4", whole(20)},
      {"10 - 4 - 3", whole(3)},
      {"100 / 10 / 5", whole(2)},
      {"100 / (10 / 5)", whole(50)},
      {"7 * 5 % 3", whole(2)},
      {"7 % 5 * 3", whole(6)},
      {"-7 * -2", whole(14)},
      {"3 - -2", whole(5)},
      {"1 + 2 < 2 * 2", true},
      {"not 1 == 2", true},
      {"not on or on", true},
      {"not (on or on)", false},
      {"not not on", true},
      {"true or false and false", true},
      {"(true or false) and false", false},
      {"off and off or on", true},
      {"1 < 2 and 2 < 3", true},
      {"false ? 1 : false ? 2 : 3", whole(3)},
      {"true ? 1 : true ? 2 : 3", whole(1)},
      {"true ? false ? 1 : 2 : 3", whole(2)},
      {"off or on ? 1 : 2", whole(1)},
      {"1 + (on ? 10 : 20)", whole(11)},
      {"on ? 1 : 2 + 5", whole(1)},
      {"(on == off) == off", true},
  });
}

TEST(EvaluateTest, Comparisons) {
  expect_values({
      {"1 == 1", true},
      {"1 != 1", false},
      {"1 < 1", false},
      {"1 <= 1", true},
      {"2 > 1", true},
      {"1 > 2", false},
      {"1 >= 2", false},
      {"2 >= 2", true},
      {"small < big", true},
      {"x > 2", true},
      {"2.5 <= x", true},
      {"on != off", true},
      {"true == on", true},
      {"dtype == 'f32'", true},
      {"dtype != \"f64\"", true},
      {"op == 'sum' and dtype == 'f16'", false},
  });
}

TEST(EvaluateTest, LogicTables) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      Names names;
      names.set("on", a);
      names.set("off", b);
      EXPECT_EQ(names.value("on and off"), Value(a && b));
      EXPECT_EQ(names.value("on or off"), Value(a || b));
      EXPECT_EQ(names.value("on and off and n == 12"), Value(a && b));
      EXPECT_EQ(names.value("on or off or n != 12"), Value(a || b));
      EXPECT_EQ(names.value("(on or off) and not (on and off)"), Value(a != b));
      EXPECT_EQ(names.value("(on and off) == on"), Value((a && b) == a));
      EXPECT_EQ(names.value("on ? off : not off"), Value(a == b));
    }
  }
}

TEST(EvaluateTest, Functions) {
  expect_values({
      {"min(3, 2)", whole(2)},
      {"max(1, n, 3)", whole(12)},
      {"min(n, BM, TM, 9)", whole(8)},
      {"min(2, 1.5)", 1.5},
      {"max(1, 2, 0.5)", 2.0},
      {"max(0.5, n, 2)", 12.0},
      {"min(n + 1, x * 2, BM - 1)", 5.0},
      {"ceil_div(7, 2)", whole(4)},
      {"ceil_div(8, 2)", whole(4)},
      {"ceil_div(0, 5)", whole(0)},
      {"ceil_div(big, 2)", whole(4611686018427387904)},
      {"round_up(7, 4)", whole(8)},
      {"round_up(8, 4)", whole(8)},
      {"round_up(0, 4)", whole(0)},
      {"is_pow2(64)", true},
      {"is_pow2(1)", true},
      {"is_pow2(12)", false},
      {"is_pow2(0)", false},
      {"is_pow2(-4)", false},
      {"is_pow2(small)", false},
      {"sqrt(2.25)", 1.5},
      {"sqrt(16)", 4.0},
      {"sqrt(k)", 0.0},
      {"log2(8)", 3.0},
      {"log2(0.5)", -1.0},
      {"abs(-3)", whole(3)},
      {"abs(3)", whole(3)},
      {"abs(-x)", 2.5},
      {"to_real(n) / 8", 1.5},
      {"to_real(x)", 2.5},
      {"floor(2.7)", whole(2)},
      {"floor(-2.5)", whole(-3)},
      {"floor(n)", whole(12)},
      {"floor(log2(BM))", whole(6)},
      {"floor(-9223372036854775808.0)", whole(INT64_MIN)},
  });
}

TEST(EvaluateTest, SizesOfTypes) {
  expect_values({
      {"sizeof(dtype)", whole(4)},
      {"sizeof('f16')", whole(2)},
      {"sizeof('bf16')", whole(2)},
      {"sizeof('f32')", whole(4)},
      {"sizeof('f64')", whole(8)},
      {"sizeof('i8') + sizeof('u8')", whole(2)},
      {"sizeof('i16') + sizeof('u16')", whole(4)},
      {"sizeof('i32') + sizeof('u32')", whole(8)},
      {"sizeof('i64') + sizeof('u64')", whole(16)},
      {"sizeof('double')", whole(8)},
      {"sizeof('unsigned char')", whole(1)},
      {"(BM * 16 + 16 * BM) * sizeof(dtype) * 2 <= 48 * 1024", true},
  });
}

TEST(EvaluateTest, ShortCircuits) {
  expect_values({
      {"k == 0 or n / k > 1", true},
      {"k != 0 and n / k > 1", false},
      {"k == 0 ? 0 : n / k", whole(0)},
      {"k != 0 ? n / k : -1", whole(-1)},
      {"k == 0 or n / k > 1 or 1 / k == 0", true},
      {"true or 1 / 0 == 1", true},
      {"n > 100 and sizeof('odd') == 1", false},
  });
}

TEST(EvaluateTest, TypedShorthands) {
  const Names names;
  EXPECT_EQ(names.compile("n").integer(names.cells()), 12);
  EXPECT_EQ(names.compile("n").real(names.cells()), 12.0);
  EXPECT_EQ(names.compile("x").real(names.cells()), 2.5);
  EXPECT_TRUE(names.compile("on").boolean(names.cells()));
  EXPECT_THROW(names.compile("x").integer(names.cells()), ExpressionError);
  EXPECT_THROW(names.compile("on").integer(names.cells()), ExpressionError);
  EXPECT_THROW(names.compile("on").real(names.cells()), ExpressionError);
  EXPECT_THROW(names.compile("n").boolean(names.cells()), ExpressionError);
}

TEST(EvaluateTest, SlotsAreSortedAndUnique) {
  const Names names;
  const Expression expression = names.compile("TM * n + (on ? n : TM) % n");
  const std::vector<int> expected = {names.slot("n"), names.slot("TM"), names.slot("on")};
  EXPECT_EQ(std::vector<int>(expression.slots().begin(), expression.slots().end()), expected);
  EXPECT_TRUE(names.compile("1 + 2").slots().empty());
}

TEST(EvaluateTest, OutlivesItsText) {
  const Names names;
  std::string text = "n + 1 == 13 and op == 'sum'";
  const Expression expression = names.compile(text);
  text.assign(text.size(), '?');
  EXPECT_EQ(expression.text(), "n + 1 == 13 and op == 'sum'");
  EXPECT_TRUE(expression.boolean(names.cells()));
}

TEST(EvaluateTest, LongChainsNeedNoDepth) {
  const Names names;
  std::string sum = "n";
  std::string all = "on";
  for (int i = 0; i < 5000; ++i) {
    sum += " + 1";
    all += " and n == 12";
  }
  EXPECT_EQ(names.value(sum), Value(std::int64_t{5012}));
  EXPECT_EQ(names.value(all), Value(true));
}

}  // namespace
}  // namespace tuner::expr
