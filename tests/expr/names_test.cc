#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

TEST(NearestNameTest, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"BM", "BN", "TM", "dtype", "sm_count", "stages", "n"};
  const auto nearest = [&](const char* name) { return nearest_name(name, known).value_or("none"); };
  EXPECT_EQ(nearest("bm"), "BM");
  EXPECT_EQ(nearest("bn"), "BN");
  EXPECT_EQ(nearest("BMM"), "BM");
  EXPECT_EQ(nearest("dtpye"), "dtype");
  EXPECT_EQ(nearest("type"), "dtype");
  EXPECT_EQ(nearest("stage"), "stages");
  EXPECT_EQ(nearest("sm_cnt"), "sm_count");
  EXPECT_EQ(nearest("SM_COUNT"), "sm_count");
  EXPECT_EQ(nearest("N"), "n");
  EXPECT_EQ(nearest("x"), "none");
  EXPECT_EQ(nearest("threads"), "none");
  EXPECT_EQ(nearest(""), "none");
}

TEST(NearestNameTest, PrefersTheClosest) {
  const std::vector<std::string> known = {"blocks", "block", "clock"};
  EXPECT_EQ(nearest_name("blok", known), "block");
  EXPECT_EQ(nearest_name("Clock", known), "clock");
  EXPECT_EQ(nearest_name("blocks", known), "blocks");
  EXPECT_EQ(nearest_name("block", {}), std::nullopt);
}

TEST(TypeNamesTest, SizesAndSpellings) {
  EXPECT_EQ(size_of_type("f16"), 2);
  EXPECT_EQ(size_of_type("f64"), 8);
  EXPECT_EQ(size_of_type("unsigned int"), 4);
  EXPECT_EQ(size_of_type("float4"), std::nullopt);
  EXPECT_EQ(size_of_type(""), std::nullopt);
  EXPECT_EQ(cpp_type_name("f32"), "float");
  EXPECT_EQ(cpp_type_name("bf16"), "__nv_bfloat16");
  EXPECT_EQ(cpp_type_name("i64"), "long long");
  EXPECT_EQ(cpp_type_name("u8"), "unsigned char");
  EXPECT_EQ(cpp_type_name("double"), "double");
  EXPECT_EQ(cpp_type_name("my::Type"), "my::Type");
}

}  // namespace
}  // namespace tuner::expr
