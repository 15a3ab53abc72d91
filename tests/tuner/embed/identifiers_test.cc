#include "tuner/embed/identifiers.h"

#include <gtest/gtest.h>

#include "expr/error.h"

namespace tuner {
namespace {

TEST(Identifiers, StayWhereTheyCan) {
  EXPECT_EQ(cpp_identifier("BM"), "BM");
  EXPECT_EQ(cpp_identifier("load_cache2"), "load_cache2");
  EXPECT_EQ(cpp_identifier("float"), "float_");
  EXPECT_EQ(cpp_identifier("launches"), "launches_");
  EXPECT_EQ(cpp_identifier("half2/wide"), "half2_wide");
  EXPECT_EQ(cpp_identifier("2d"), "_2d");
  EXPECT_THROW(cpp_identifier(""), TunerError);
  EXPECT_THROW(cpp_identifier("--"), TunerError);
}

TEST(Identifiers, StringsAreInert) {
  EXPECT_EQ(cpp_string("plain"), "\"plain\"");
  EXPECT_EQ(cpp_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(cpp_string("two\nlines"), R"("two\012lines")");
  EXPECT_EQ(cpp_string("?\?/"), R"("\077\077/")");
}

}  // namespace
}  // namespace tuner
