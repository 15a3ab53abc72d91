#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "expr/expression.h"
#include "tests/expr/fixture.h"

namespace tuner::expr {
namespace {

std::string render(const Names& names, const char* text) {
  return Template::compile(text, names.scope()).render(names.cells());
}

TEST(TemplateTest, Renders) {
  const Names names;
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", ""},
      {"plain", "plain"},
      {"${n}", "12"},
      {"tiled::matmul<${dtype}, ${BM}, ${BM / TM}>", "tiled::matmul<float, 64, 8>"},
      {"${n}${BM}", "1264"},
      {"a${on}b${off}c", "atruebfalsec"},
      {"${op}", "sum"},
      {"${x} ${x * 2} ${1e300}", "2.5 5.0 1e+300"},
      {"$n {n} $ {n} }", "$n {n} $ {n} }"},
      {"${op == '}' ? 1 : 2}", "2"},
      {"${on ? 'f16' : 'f32'}", "__half"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(render(names, text), expected) << text;
}

TEST(TemplateTest, CollectsSlots) {
  const Names names;
  const auto compiled = Template::compile("${TM}-${n}-${n + BM}", names.scope());
  EXPECT_EQ(compiled.slots(),
            (std::vector<int>{names.slot("n"), names.slot("BM"), names.slot("TM")}));
  EXPECT_EQ(compiled.text(), "${TM}-${n}-${n + BM}");
}

TEST(TemplateTest, ErrorsPointIntoTheTemplate) {
  const Names names;
  const std::vector<std::pair<const char*, std::size_t>> cases = {
      {"ab<${n", 3}, {"ab<${n, ${BM}>", 6}, {"ab<${n}, ${BX}>", 11}, {"${}", 2}, {"x${'a}", 1},
  };
  for (const auto& [text, position] : cases) {
    try {
      (void)Template::compile(text, names.scope());
      ADD_FAILURE() << text << " compiled";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.position(), position) << error.what();
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos);
    }
  }
}

TEST(TemplateTest, RefusesWhatSourceCodeCannotHold) {
  const Names names;
  EXPECT_THROW(render(names, "${1e300 * 1e300}"), ExpressionError);
  EXPECT_THROW(render(names, "${n / k}"), ExpressionError);
}

}  // namespace
}  // namespace tuner::expr
