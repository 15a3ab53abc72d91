#include "tuner/kernel/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expr/error.h"

namespace tuner {
namespace {

struct HalfPair {
  float value;
  std::uint16_t bits;
};

// From IEEE 754: the layouts of binary16.
constexpr HalfPair kHalves[] = {
    {0.0F, 0x0000},     {-0.0F, 0x8000},
    {1.0F, 0x3c00},     {-2.0F, 0xc000},
    {65504.0F, 0x7bff}, {0x1p-14F, 0x0400},
    {0x1p-24F, 0x0001}, {0x1.ff8p-15F, 0x03ff},
    {1.0F / 3, 0x3555}, {std::numeric_limits<float>::infinity(), 0x7c00},
};

TEST(Half, ConvertsBothWays) {
  for (const HalfPair& pair : kHalves) {
    EXPECT_EQ(to_half(pair.value).bits, pair.bits) << pair.value;
    if (pair.bits != 0x3555) {
      EXPECT_EQ(to_float(Half{pair.bits}), pair.value) << pair.bits;
    }
  }
  EXPECT_FLOAT_EQ(to_float(Half{0x3555}), 0.33325195F);
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(to_half(1 + 0x1p-11F).bits, 0x3c00);      // half way down to even
  EXPECT_EQ(to_half(1 + 3 * 0x1p-11F).bits, 0x3c02);  // half way up to even
  EXPECT_EQ(to_half(1 + 0x1.1p-11F).bits, 0x3c01);    // above half way
  EXPECT_EQ(to_half(65519.0F).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_half(0x1p-25F).bits, 0x0000);
  EXPECT_EQ(to_half(0x1.8p-24F).bits, 0x0002);
  EXPECT_EQ(to_half(0x1.ffep-1F).bits, 0x3c00);  // half way up to even
  EXPECT_EQ(to_half(0x1.ffdp-1F).bits, 0x3bff);
  EXPECT_EQ(to_half(0x1.ffcp-15F).bits, 0x0400);  // the largest subnormal, rounded up
}

TEST(Half, EveryValueSurvives) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_half(value))));
    } else {
      ASSERT_EQ(to_half(value).bits, bits);
    }
  }
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(to_bfloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(-3.0F).bits, 0xc040);
  EXPECT_EQ(to_bfloat16(1 + 0x1p-8F).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(1 + 3 * 0x1p-8F).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(to_float(Bfloat16{0x7f80}), std::numeric_limits<float>::infinity());
}

TEST(FromDouble, SaturatesIntegers) {
  EXPECT_EQ(from_double<std::int8_t>(300), 127);
  EXPECT_EQ(from_double<std::int8_t>(-300), -128);
  EXPECT_EQ(from_double<std::uint64_t>(1e30), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(from_double<std::int64_t>(-1e30), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(from_double<std::int32_t>(std::nan("")), 0);
}

TEST(ParseElement, KnowsShortAndCppNames) {
  EXPECT_EQ(parse_element("bf16"), Element::bf16);
  EXPECT_EQ(parse_element("float"), Element::f32);
  EXPECT_EQ(parse_element("unsigned long long"), Element::u64);
  EXPECT_THROW(parse_element("f8"), TunerError);
  EXPECT_EQ(size_of(Element::f16), 2);
  EXPECT_EQ(size_of(Element::u64), 8);
  EXPECT_FALSE(is_integer(Element::f64));
  EXPECT_TRUE(is_integer(Element::i8));
}

}  // namespace
}  // namespace tuner
