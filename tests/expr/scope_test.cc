#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "expr/expression.h"
#include "tests/expr/fixture.h"
#include "tests/expr/random_text.h"

namespace tuner::expr {
namespace {

TEST(ScopeTest, NumbersSlotsInOrder) {
  Scope scope;
  EXPECT_EQ(scope.add("m", Type::integer), 0);
  EXPECT_EQ(scope.add("_a1", Type::text), 1);
  EXPECT_EQ(scope.size(), 2);
  EXPECT_EQ(scope.find("_a1"), 1);
  EXPECT_EQ(scope.find("M"), std::nullopt);
  EXPECT_EQ(scope.name(1), "_a1");
  EXPECT_EQ(scope.type(1), Type::text);
}

TEST(ScopeTest, RefusesTakenNamesAndNonIdentifiers) {
  Scope scope;
  scope.add("m", Type::integer);
  for (const char* name :
       {"m", "", "1m", "a b", "a.b", "a-b", "and", "or", "not", "true", "false", "\xC3\xA4"}) {
    EXPECT_THROW(scope.add(name, Type::integer), TunerError) << name;
  }
  EXPECT_EQ(scope.size(), 1);
}

TEST(ScopeTest, DefinitionsStandInParentheses) {
  Scope scope;
  const int n = scope.add("n", Type::integer);
  scope.define("half", "n / 2 + 1");
  scope.define("quarter", "half / 2");
  std::vector<Cell> cells(1);
  cells[static_cast<std::size_t>(n)].i = 10;
  EXPECT_EQ(Expression::compile("half * half", scope).integer(cells), 36);
  EXPECT_EQ(Expression::compile("-quarter", scope).integer(cells), -3);
  EXPECT_EQ(Expression::compile("n > 3 ? quarter : half", scope).integer(cells), 3);
  const Expression used = Expression::compile("quarter", scope);
  EXPECT_THAT(used.slots(), testing::ElementsAre(n));
  EXPECT_EQ(used.text(), "quarter");
}

TEST(ScopeTest, DefinitionsAreCheckedWhenMade) {
  Scope scope;
  scope.add("n", Type::integer);
  scope.define("half", "n / 2");
  EXPECT_THROW(scope.define("half", "n"), TunerError);
  EXPECT_THROW(scope.define("n", "1"), TunerError);
  EXPECT_THROW(scope.add("half", Type::integer), TunerError);
  EXPECT_THROW(scope.define("later", "later + 1"), ExpressionError);
  EXPECT_THROW(scope.define("open", "(n"), ExpressionError);
  EXPECT_THROW(scope.define("two", "n) + (n"), ExpressionError);
}

// What goes wrong inside of a definition points at its name in the text that used it.
TEST(ScopeTest, ErrorsOfDefinitionsPointAtTheirUse) {
  Scope scope;
  scope.add("n", Type::integer);
  scope.define("inverse", "100 / n");
  const std::vector<Cell> cells(1);
  try {
    static_cast<void>(Expression::compile("1 + inverse", scope).integer(cells));
    FAIL() << "100 / 0 has a value";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), 4U);
  }
  try {
    static_cast<void>(Expression::compile("n + inverze", scope));
    FAIL() << "there is no inverze";
  } catch (const ExpressionError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'inverse'"));
  }
}

// Names that are fixed change what is left to compute, not what comes out.
TEST(ScopeTest, FixedNamesChangeNoValue) {
  Names names;
  names.add("lane", std::int64_t{3});
  names.add("row", std::int64_t{1});
  names.add("odd", true);
  const std::unique_ptr<Scope> fixed = Scope::with_slots_of(names.scope());
  for (const char* name : {"n", "k", "on", "off", "dtype", "big", "lane"}) {
    const int slot = names.slot(name);
    fixed->fix(slot, names.cells()[static_cast<std::size_t>(slot)]);
  }
  RandomText random(9);
  int compared = 0, failed = 0;
  for (int i = 0; i < 4000; ++i) {
    const int depth = 1 + static_cast<int>(random.below(5));
    const std::string text = i % 2 == 0 ? random.integer(depth) : random.boolean(depth);
    const Expression quick = Expression::compile(text, *fixed);
    for (const int slot : quick.slots()) EXPECT_FALSE(fixed->fixed(slot)) << text;
    try {
      const Value wanted = names.value(text);
      EXPECT_EQ(quick.value(names.cells()), wanted) << text;
      ++compared;
    } catch (const ExpressionError&) {
      EXPECT_THROW(static_cast<void>(quick.evaluate(names.cells())), ExpressionError) << text;
      ++failed;
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(failed, 100);
}

TEST(ScopeTest, WhatAFixedConditionLeavesOutIsNotThere) {
  const Names names;
  const std::unique_ptr<Scope> fixed = Scope::with_slots_of(names.scope());
  fixed->fix(names.slot("off"), {.i = 0});
  const auto slots = [&](const char* text) {
    const Expression expression = Expression::compile(text, *fixed);
    return std::vector<int>(expression.slots().begin(), expression.slots().end());
  };
  EXPECT_EQ(slots("off ? BM / k : TM"), std::vector{names.slot("TM")});
  EXPECT_EQ(slots("off and BM / k > 0"), std::vector<int>{});
  EXPECT_EQ(slots("not off or BM / k > 0"), std::vector<int>{});
  EXPECT_EQ(slots("off or TM > 0"), std::vector{names.slot("TM")});
  EXPECT_EQ(Expression::compile("off ? 0.5 : TM", *fixed).real(names.cells()), 8.0);
  EXPECT_EQ(Expression::compile("not off ? TM : 0.5", *fixed).real(names.cells()), 8.0);
  EXPECT_THROW(Expression::compile("off ? BM : 'text'", *fixed), ExpressionError);
  EXPECT_THROW(Expression::compile("off and BM", *fixed), ExpressionError);
  EXPECT_THROW(Expression::compile("off ? nothing : BM", *fixed), ExpressionError);
}

TEST(ScopeTest, ScopesWithTheSameSlotsShareTexts) {
  const Names names;
  const std::unique_ptr<Scope> other = Scope::with_slots_of(names.scope());
  EXPECT_EQ(Expression::compile("dtype == 'f32'", *other).evaluate(names.cells()).i, 1);
  EXPECT_EQ(other->encode(std::string("new"), Type::text).i,
            names.scope().encode(std::string("new"), Type::text).i);
}

TEST(ScopeTest, EncodesAndDecodes) {
  const Scope scope;
  for (const Value& value : {Value(std::int64_t{-3}), Value(0.25), Value(true), Value(false),
                             Value(std::string("bf16")), Value(std::string("any text"))}) {
    EXPECT_EQ(scope.decode(scope.encode(value, type_of(value)), type_of(value)), value);
  }
  EXPECT_EQ(scope.encode(std::int64_t{3}, Type::real).d, 3.0);
}

TEST(ScopeTest, EncodeNamesBothTypes) {
  const Scope scope;
  EXPECT_THROW(scope.encode(0.5, Type::integer), TunerError);
  EXPECT_THROW(scope.encode(true, Type::integer), TunerError);
  EXPECT_THROW(scope.encode(std::int64_t{1}, Type::boolean), TunerError);
  try {
    scope.encode(std::string("fast"), Type::integer);
    FAIL() << "a text went into an integer";
  } catch (const TunerError& error) {
    EXPECT_STREQ(error.what(), "'fast' is text where integer is needed");
  }
}

TEST(ScopeTest, EqualTextsShareAnId) {
  const Scope scope;
  const auto id = [&](const char* text) { return scope.encode(std::string(text), Type::text).i; };
  EXPECT_EQ(id("one"), id("one"));
  EXPECT_NE(id("one"), id("two"));
  EXPECT_THROW(scope.decode({.i = -1}, Type::text), TunerError);
  EXPECT_THROW(scope.decode({.i = 1'000'000}, Type::text), TunerError);
}

TEST(ScopeTest, ThreadsAgreeOnIds) {
  constexpr int kThreads = 4;
  constexpr int kTexts = 300;
  const Scope scope;
  std::vector<std::vector<std::int64_t>> ids(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (auto& mine : ids) {
      threads.emplace_back([&scope, &mine] {
        for (int i = 0; i < kTexts; ++i) {
          mine.push_back(scope.encode("text " + std::to_string(i), Type::text).i);
        }
      });
    }
  }
  for (const auto& mine : ids) EXPECT_EQ(mine, ids.front());
  for (int i = 0; i < kTexts; ++i) {
    EXPECT_EQ(scope.decode({.i = ids.front()[static_cast<std::size_t>(i)]}, Type::text),
              Value("text " + std::to_string(i)));
  }
}

}  // namespace
}  // namespace tuner::expr
