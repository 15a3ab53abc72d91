#include "expr/value.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace tuner {
namespace {

TEST(ValueTest, PrintsAsWrittenInFiles) {
  EXPECT_EQ(to_string(Value(std::int64_t{64})), "64");
  EXPECT_EQ(to_string(Value(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(to_string(Value(0.5)), "0.5");
  EXPECT_EQ(to_string(Value(0.1)), "0.1");
  EXPECT_EQ(to_string(Value(1e-5)), "1e-05");
  EXPECT_EQ(to_string(Value(true)), "true");
  EXPECT_EQ(to_string(Value(false)), "false");
  EXPECT_EQ(to_string(Value(std::string("f32"))), "f32");
}

TEST(ValueTest, DoublesReadBackEqual) {
  for (const double number : {1.0 / 3.0, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0, 2e9}) {
    EXPECT_EQ(std::strtod(to_string(Value(number)).c_str(), nullptr), number);
  }
}

TEST(ValueTest, TypeFollowsTheAlternative) {
  EXPECT_EQ(type_of(Value(std::int64_t{1})), Type::integer);
  EXPECT_EQ(type_of(Value(1.0)), Type::real);
  EXPECT_EQ(type_of(Value(true)), Type::boolean);
  EXPECT_EQ(type_of(Value(std::string())), Type::text);
  EXPECT_EQ(to_string(Type::integer), "integer");
  EXPECT_EQ(to_string(Type::real), "real");
  EXPECT_EQ(to_string(Type::boolean), "boolean");
  EXPECT_EQ(to_string(Type::text), "text");
}

}  // namespace
}  // namespace tuner
