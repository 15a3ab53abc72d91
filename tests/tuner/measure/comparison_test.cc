#include "tuner/measure/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tuner {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

template <typename T, typename Reference>
Comparison compare(Element element, const std::vector<T>& values,
                   const std::vector<Reference>& reference, const ElementTolerance& tolerance,
                   std::int64_t first = 0) {
  return compare_elements(element, std::as_bytes(std::span(values)),
                          std::as_bytes(std::span(reference)), first, tolerance);
}

struct Case {
  double value, reference, relative, absolute;
  bool passes;
};

TEST(Compare, JudgesOneElement) {
  const Case cases[] = {
      {1, 1, 0, 0, true},
      {1, 1.5, 0, 0.5, true},
      {1, 1.5001, 0, 0.5, false},
      {99, 100, 0.01, 0, true},
      {98.9, 100, 0.01, 0, false},
      {-99, -100, 0.01, 0, true},
      {0, 0, 0, 0, true},
      {1e-30, 0, 0.01, 0, false},
      {kNan, 1, 1, 1, false},
      {1, kNan, 1, 1, false},
      {kNan, kNan, 1, 1, false},
      {kInfinity, 1, 1, 1, false},
      {1, kInfinity, 1, 1, false},
      {kInfinity, kInfinity, 0, 0, true},
      {-kInfinity, kInfinity, 1, 1, false},
      {1, 2, kNan, 0, false},
  };
  for (const Case& one : cases) {
    const Comparison result =
        compare(Element::f64, std::vector<double>{one.value}, std::vector<double>{one.reference},
                {one.relative, one.absolute});
    EXPECT_EQ(result.failed == 0, one.passes) << one.value << " against " << one.reference;
    EXPECT_EQ(result.checked, 1);
  }
}

TEST(Compare, FindsTheWorst) {
  std::vector<float> values(200000, 1.0F);
  const std::vector<double> reference(values.size(), 1.0);
  values[70000] = 1.5F;
  values[170000] = 3.0F;
  values[190000] = 3.0F;
  const Comparison result = compare(Element::f32, values, reference, {0, 0.1}, 1000);
  EXPECT_EQ(result.checked, 200000);
  EXPECT_EQ(result.failed, 3);
  EXPECT_EQ(result.worst_index, 171000);  // the first of equals
  EXPECT_DOUBLE_EQ(result.worst_ratio, 20);
  EXPECT_DOUBLE_EQ(result.frobenius(), std::sqrt((0.25 + 4 + 4) / 200000));
  EXPECT_EQ(
      describe_failure("y", result, {0, 0.1}),
      "y[171000] is 3, expected 1 (error 2, allowed 0.1); 3 of 200000 checked elements differ");
}

TEST(Compare, ANanIsTheWorst) {
  const Comparison result = compare(Element::f32, std::vector<float>{100, std::nanf(""), 1},
                                    std::vector<double>{1, 1, 1}, {0, 1});
  EXPECT_EQ(result.worst_index, 1);
  EXPECT_EQ(result.worst_ratio, kInfinity);
  EXPECT_FALSE(result.frobenius() <= 1e300);
  const Comparison poisoned =
      compare(Element::f32, std::vector<std::uint32_t>{0xffffffff}, std::vector<double>{1}, {0, 1});
  EXPECT_THAT(describe_failure("y", poisoned, {0, 1}),
              testing::HasSubstr("y[0] is nan, expected 1"));
}

TEST(Compare, IntegersAreExactBeyondDoubles) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const std::vector<std::int64_t> reference{large};
  EXPECT_EQ(compare(Element::i64, std::vector<std::int64_t>{large}, reference, {}).failed, 0);
  const Comparison off = compare(Element::i64, std::vector<std::int64_t>{large - 1}, reference, {});
  EXPECT_EQ(off.failed, 1);
  EXPECT_EQ(std::get<std::int64_t>(off.worst_value), large - 1);
  EXPECT_EQ(compare(Element::i64, std::vector<std::int64_t>{large - 1}, reference, {0, 1}).failed,
            0);
  const std::vector<std::int64_t> extremes{std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(
      compare(Element::i64, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()},
              extremes, {0, 1e18})
          .failed,
      1);
}

TEST(Compare, UnsignedValuesMatchTheirBits) {
  EXPECT_EQ(
      compare(Element::u64, std::vector<std::uint64_t>{~0ULL}, std::vector<std::int64_t>{-1}, {})
          .failed,
      0);
  EXPECT_EQ(compare(Element::u8, std::vector<std::uint8_t>{200}, std::vector<std::int64_t>{200}, {})
                .failed,
            0);
  EXPECT_EQ(compare(Element::u8, std::vector<std::uint8_t>{200}, std::vector<std::int64_t>{-56}, {})
                .failed,
            1);
}

TEST(Compare, ReadsHalves) {
  EXPECT_EQ(compare(Element::f16, std::vector<std::uint16_t>{0x3c00, 0xc000},
                    std::vector<double>{1, -2}, {})
                .failed,
            0);
  EXPECT_EQ(
      compare(Element::bf16, std::vector<std::uint16_t>{0x3f80}, std::vector<double>{1}, {}).failed,
      0);
  EXPECT_EQ(
      compare(Element::f16, std::vector<std::uint16_t>{0xffff}, std::vector<double>{1}, {1, 1})
          .failed,
      1);
}

TEST(Compare, FrobeniusAloneLeavesElementsBeButNotNan) {
  const ElementTolerance loose{0, 0, false};
  const Comparison off =
      compare(Element::f64, std::vector<double>{3, 4}, std::vector<double>{3, 5}, loose);
  EXPECT_EQ(off.failed, 0);
  EXPECT_DOUBLE_EQ(off.frobenius(), 1 / std::sqrt(34.0));
  EXPECT_EQ(
      compare(Element::f64, std::vector<double>{3, kNan}, std::vector<double>{3, 5}, loose).failed,
      1);
  EXPECT_EQ(
      compare(Element::f64, std::vector<double>{1}, std::vector<double>{0}, loose).frobenius(),
      kInfinity);
}

TEST(Compare, OneElementAgainstADouble) {
  const float value = 2.5F;
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  EXPECT_EQ(compare_one(Element::f32, bytes, 2.5, 7, {}).failed, 0);
  const Comparison off = compare_one(Element::f32, bytes, 2, 7, {0, 0.25});
  EXPECT_EQ(off.worst_index, 7);
  EXPECT_DOUBLE_EQ(off.worst_ratio, 2);
}

TEST(RangesToCheck, AllOfASmallOutput) {
  EXPECT_TRUE(ranges_to_check(0, false).empty());
  EXPECT_THAT(ranges_to_check(5, false), testing::ElementsAre(ByteRange{0, 5}));
  EXPECT_THAT(ranges_to_check(kSampledBytes, false),
              testing::ElementsAre(ByteRange{0, kSampledBytes}));
  EXPECT_THAT(ranges_to_check(std::int64_t{1} << 40, true),
              testing::ElementsAre(ByteRange{0, std::int64_t{1} << 40}));
}

TEST(RangesToCheck, SpreadOverALargeOne) {
  constexpr std::int64_t kPiece = kSampledBytes / 64;
  // Just above the limit, and 2^31 + 1 elements of 8 bytes.
  for (const std::int64_t bytes :
       {kSampledBytes + 1, kSampledBytes + kPiece, ((std::int64_t{1} << 31) + 1) * 8}) {
    const std::vector<ByteRange> ranges = ranges_to_check(bytes, false);
    ASSERT_EQ(ranges.size(), 64U);
    EXPECT_EQ(ranges.front(), (ByteRange{0, kPiece}));
    EXPECT_EQ(ranges.back().offset + ranges.back().bytes, bytes);
    EXPECT_GE(ranges.back().bytes, kPiece);
    std::int64_t end = 0;
    for (const ByteRange& range : ranges) {
      EXPECT_GE(range.offset, end);
      EXPECT_EQ(range.offset % 8, 0);
      end = range.offset + range.bytes;
    }
  }
}

}  // namespace
}  // namespace tuner
