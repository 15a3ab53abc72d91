#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "expr/expression.h"
#include "tests/expr/fixture.h"

namespace tuner::expr {
namespace {

struct Case {
  const char* text;
  std::size_t position;
  const char* reason;  // a part of it
};

void expect_error(const Case& expected, const ExpressionError& error) {
  EXPECT_EQ(error.position(), expected.position) << expected.text << "\n" << error.what();
  EXPECT_NE(error.reason().find(expected.reason), std::string::npos) << expected.text << "\n"
                                                                     << error.what();
}

void expect_compile_errors(const std::vector<Case>& cases) {
  const Names names;
  for (const Case& expected : cases) {
    try {
      (void)names.compile(expected.text);
      ADD_FAILURE() << expected.text << " compiled";
    } catch (const ExpressionError& error) {
      expect_error(expected, error);
    }
  }
}

void expect_run_errors(const std::vector<Case>& cases) {
  const Names names;
  for (const Case& expected : cases) {
    const Expression expression = names.compile(expected.text);
    try {
      const Value value = expression.value(names.cells());
      ADD_FAILURE() << expected.text << " is " << to_string(value);
    } catch (const ExpressionError& error) {
      expect_error(expected, error);
    }
  }
}

TEST(ErrorsTest, Syntax) {
  expect_compile_errors({
      {"", 0, "expected a value, found the end"},
      {"  ", 2, "expected a value, found the end"},
      {"n +", 3, "expected a value, found the end"},
      {"n + )", 4, "expected a value, found ')'"},
      {"(n", 2, "expected ')', found the end"},
      {"n)", 1, "expected an operator, found ')'"},
      {"n BM", 2, "expected an operator, found 'BM'"},
      {"on ? n", 6, "expected ':', found the end"},
      {"min(n BM)", 6, "expected ',' or ')'"},
      {"min(n, )", 7, "expected a value"},
      {"n < BM < 3", 7, "do not chain"},
      {"n == BM == 3", 8, "do not chain"},
      {"on == not off", 6, "use parentheses"},
      {"-not on", 1, "use parentheses"},
      {"+n", 0, "expected a value, found '+'"},
  });
}

TEST(ErrorsTest, Tokens) {
  expect_compile_errors({
      {"n = 1", 2, "write '=='"},
      {"on && off", 3, "write 'and'"},
      {"on || off", 3, "write 'or'"},
      {"!on", 0, "write 'not'"},
      {"n # 1", 2, "unexpected '#'"},
      {"n + \x01", 4, "unexpected byte 0x01"},
      {"n + \xC3\xA4", 4, "unexpected byte 0xc3"},
      {"'abc", 0, "no closing '"},
      {"n == \"abc'", 5, "no closing \""},
      {"12ab", 0, "neither a number nor a name"},
      {"1.", 0, "neither a number nor a name"},
      {"1.e5", 0, "neither a number nor a name"},
      {"n + 1e", 4, "neither a number nor a name"},
      {"1.2.3", 0, "neither a number nor a name"},
      {"0x", 0, "neither a number nor a name"},
      {"0xfg", 0, "neither a number nor a name"},
      {".5", 0, "unexpected '.'"},
  });
}

TEST(ErrorsTest, LiteralsTooBig) {
  expect_compile_errors({
      {"n + 9223372036854775808", 4, "does not fit 64 bits"},
      {"n - 9223372036854775808", 4, "does not fit 64 bits"},
      {"99999999999999999999", 0, "does not fit 64 bits"},
      {"0xffffffffffffffff", 0, "does not fit 64 bits"},
      {"-9223372036854775809", 1, "does not fit 64 bits"},
      {"x * 1e999", 4, "does not fit a double"},
  });
}

TEST(ErrorsTest, UnknownNames) {
  expect_compile_errors({
      {"BM % TN", 5, "unknown name 'TN'; did you mean 'TM'?"},
      {"bm > 1", 0, "unknown name 'bm'; did you mean 'BM'?"},
      {"1 + dtpye", 4, "unknown name 'dtpye'; did you mean 'dtype'?"},
      {"1 + nowhere_near", 4, "unknown name 'nowhere_near'"},
      {"cel_div(n, 2)", 0, "unknown function 'cel_div'; did you mean 'ceil_div'?"},
      {"n(2)", 0, "unknown function 'n'"},
      {"min", 0, "unknown name 'min'"},
  });
}

TEST(ErrorsTest, Types) {
  expect_compile_errors({
      {"n + on", 2, "'+' needs numbers, not integer and boolean"},
      {"dtype * 2", 6, "'*' needs numbers, not text and integer"},
      {"n % x", 2, "'%' needs integers, not integer and real"},
      {"-on", 1, "'-' needs a number, and this is boolean"},
      {"not n", 4, "'not' needs boolean, and this is integer"},
      {"on and n", 7, "'and' needs boolean, and this is integer"},
      {"n and on", 0, "'and' needs boolean, and this is integer"},
      {"(n + 1) or on", 0, "'or' needs boolean, and this is integer"},
      {"n ? 1 : 2", 0, "'?' needs boolean"},
      {"on ? 1 : 'a'", 7, "cannot be integer or text"},
      {"on ? true : 1", 10, "cannot be boolean or integer"},
      {"n == on", 2, "'==' cannot compare integer with boolean"},
      {"dtype == 1", 6, "'==' cannot compare text with integer"},
      {"dtype < op", 6, "'<' cannot compare text with text"},
      {"on >= off", 3, "'>=' cannot compare boolean with boolean"},
  });
}

TEST(ErrorsTest, Arguments) {
  expect_compile_errors({
      {"min(1)", 0, "min() takes 2 or more arguments, not 1"},
      {"1 + sqrt()", 4, "sqrt() takes 1 argument, not 0"},
      {"ceil_div(1, 2, 3)", 0, "ceil_div() takes 2 arguments, not 3"},
      {"max(1, on)", 7, "max() needs a number, and this is boolean"},
      {"ceil_div(n, 2.0)", 12, "ceil_div() needs integer, and this is real"},
      {"round_up(x, 2)", 9, "round_up() needs integer, and this is real"},
      {"is_pow2(2.0)", 8, "is_pow2() needs integer"},
      {"sizeof(4)", 7, "sizeof() needs text"},
      {"sqrt('a')", 5, "sqrt() needs a number"},
      {"abs(on)", 4, "abs() needs a number"},
      {"floor(dtype)", 6, "floor() needs a number"},
  });
}

TEST(ErrorsTest, Overflow) {
  expect_run_errors({
      {"big + 1", 4, "does not fit"},
      {"small - 1", 6, "does not fit"},
      {"1 + big * 2", 8, "does not fit"},
      {"small * -1", 6, "does not fit"},
      {"-small", 0, "does not fit"},
      {"small / -1", 6, "does not fit"},
      {"small % -1", 6, "does not fit"},
      {"abs(small)", 0, "does not fit"},
      {"round_up(big, 2)", 0, "does not fit"},
      {"9223372036854775807 + 1", 20, "does not fit"},
      {"floor(1e300)", 0, "1e+300 does not fit"},
      {"floor(9223372036854775808.0)", 0, "does not fit"},
      {"floor(1e300 * 1e300)", 0, "inf does not fit"},
  });
}

TEST(ErrorsTest, Domains) {
  expect_run_errors({
      {"n / k", 2, "division by zero"},
      {"n % k", 2, "division by zero"},
      {"1 / 0", 2, "division by zero"},
      {"x / zero", 2, "division by zero"},
      {"n / zero", 2, "division by zero"},
      {"1 + sqrt(-n)", 4, "square root of the negative number -12"},
      {"log2(k)", 0, "logarithm of 0"},
      {"log2(-x)", 0, "logarithm of -2.5"},
      {"ceil_div(-n, 2)", 0, "needs a number of at least 0, not -12"},
      {"ceil_div(n, k)", 0, "positive divisor"},
      {"round_up(n, -4)", 0, "positive divisor"},
      {"round_up(-n, 4)", 0, "at least 0"},
      {"2 * sizeof(op)", 4, "'sum' is not an element type"},
      {"sizeof('f33')", 0, "'f33' is not an element type"},
      {"k == 0 and n / k > 1", 13, "division by zero"},
      {"on ? n / k : 1", 7, "division by zero"},
  });
}

std::string nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "n";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(ErrorsTest, NestingIsBounded) {
  const Names names;
  EXPECT_EQ(names.value(nested(50, "(", ")")), Value(std::int64_t{12}));
  EXPECT_EQ(names.value(nested(50, "1 + (", ")")), Value(std::int64_t{62}));
  for (const auto& [open, close] :
       std::vector<std::pair<std::string, std::string>>{{"(", ")"},
                                                        {"-", ""},
                                                        {"1 + (", ")"},
                                                        {"(n * 2) - (", ")"},
                                                        {"abs(", ")"},
                                                        {"on ? 1 : ", ""},
                                                        {"on ? (", ") : 1"}}) {
    try {
      (void)names.compile(nested(100'000, open, close));
      ADD_FAILURE() << open << " nests for ever";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.reason(), "this expression is nested too deeply") << open;
    }
  }
}

TEST(ErrorsTest, LengthIsBounded) {
  const Names names;
  std::string text = "n";
  for (int i = 0; i < 70'000; ++i) text += "+n";
  EXPECT_THROW((void)names.compile(text), ExpressionError);
}

TEST(ErrorsTest, WhatShowsTextAndCaret) {
  const Names names;
  try {
    (void)names.compile("n +\n  oops");
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown name 'oops'\n"
                 "  n +   oops\n"
                 "        ^");
  }
}

TEST(ErrorsTest, CaretCountsCharactersNotBytes) {
  const ExpressionError error("'\xC3\xA4' == n", 5, "reason");
  EXPECT_STREQ(error.what(), "reason\n  '\xC3\xA4' == n\n      ^");
  EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
}

TEST(ErrorsTest, PositionStaysInTheText) {
  EXPECT_EQ(ExpressionError("ab", 99, "reason").position(), 2U);
}

}  // namespace
}  // namespace tuner::expr
