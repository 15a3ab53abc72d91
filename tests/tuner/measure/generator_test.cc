#include "tuner/measure/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "expr/error.h"

namespace tuner {
namespace {

BufferSpec spec(const std::string& kind, const std::string& element, std::int64_t count, double low,
                double high, std::uint64_t seed) {
  BufferSpec result;
  result.name = "x";
  result.element = element;
  result.count = count;
  result.init.kind = kind;
  result.init.low = low;
  result.init.high = high;
  result.init.seed = seed;
  result.init.run = 1000;
  return result;
}

template <typename T>
std::vector<T> values(const BufferSpec& buffer, std::int64_t first, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  Generator(buffer).fill(first, count, reinterpret_cast<std::byte*>(result.data()));
  return result;
}

// The published first outputs of SplitMix64 with the seed 0, and the double that they give.
TEST(Mixed, IsSplitMix64) {
  EXPECT_EQ(mixed(0, 0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mixed(0, 1), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(mixed(0, 2), 0x06c45d188009454fULL);
  EXPECT_DOUBLE_EQ(Generator(spec("uniform", "f64", 1, 0, 1, 0)).value(0), 0.8833108082136426);
}

TEST(Permutation, MeetsEveryNumberOnce) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1000, 4097, 65537, 100003}) {
    for (const std::uint64_t seed : {0ULL, 1ULL, 0xffffffffffffffffULL}) {
      const Permutation permutation(count, seed);
      std::vector<char> seen(static_cast<std::size_t>(count), 0);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t image = permutation(i);
        ASSERT_GE(image, 0);
        ASSERT_LT(image, count);
        ASSERT_EQ(seen[static_cast<std::size_t>(image)]++, 0) << count << " " << seed << " " << i;
      }
    }
  }
}

TEST(Permutation, Shuffles) {
  constexpr std::int64_t kCount = 100000;
  const Permutation permutation(kCount, 7);
  int near = 0;
  double distance = 0;
  for (std::int64_t i = 0; i + 1 < kCount; ++i) {
    if (std::llabs(permutation(i + 1) - permutation(i)) < 64) ++near;
    distance += static_cast<double>(std::llabs(permutation(i) - i));
  }
  // Of two random places, one in about 780 is so near; the mean distance is a third of the range.
  EXPECT_LT(near, 400);
  EXPECT_NEAR(distance / kCount / kCount, 1.0 / 3, 0.03);
  EXPECT_NE(Permutation(kCount, 8)(5), permutation(5));
}

TEST(Permutation, WorksBeyond32Bits) {
  const std::int64_t count = (std::int64_t{1} << 31) + 1;
  const Permutation permutation(count, 3);
  for (const std::int64_t i : {std::int64_t{0}, count / 2, count - 1}) {
    EXPECT_GE(permutation(i), 0);
    EXPECT_LT(permutation(i), count);
  }
}

TEST(Generator, UniformHasItsMoments) {
  const auto drawn = values<float>(spec("uniform", "f32", 100000, -1, 3, 5), 0, 100000);
  const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
  EXPECT_GE(*low, -1);
  EXPECT_LT(*low, -0.99);
  EXPECT_LE(*high, 3);
  EXPECT_GT(*high, 2.99);
  EXPECT_NEAR(std::accumulate(drawn.begin(), drawn.end(), 0.0) / 1e5, 1, 0.02);
}

TEST(Generator, UniformIntegersIncludeBothEnds) {
  const auto drawn = values<std::int32_t>(spec("uniform", "i32", 10000, -2, 2, 5), 0, 10000);
  std::array<int, 5> counts{};
  for (const std::int32_t value : drawn) ++counts.at(static_cast<std::size_t>(value + 2));
  for (const int count : counts) EXPECT_NEAR(count, 2000, 200);
}

TEST(Generator, NormalHasItsMoments) {
  const auto drawn = values<double>(spec("normal", "f64", 100000, 2, 0.5, 5), 0, 100000);
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  for (const double value : drawn) {
    const double z = (value - 2) / 0.5;
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(fourths / 1e5, 2.9, 0.1);  // 3 - 6/5/12: of twelve uniform numbers
}

TEST(Generator, RepeatsWithThePrimePeriodAlone) {
  const std::int64_t period = Generator::kPeriod;
  const BufferSpec large = spec("uniform", "f32", period * 2 + 10, 0, 1, 9);
  const BufferSpec small = spec("uniform", "f32", 1000, 0, 1, 9);
  EXPECT_EQ(values<float>(large, 0, 1000), values<float>(small, 0, 1000));
  const auto across = values<float>(large, period - 2, 4);
  const auto begin = values<float>(large, 0, 2);
  EXPECT_EQ(across[2], begin[0]);
  EXPECT_EQ(across[3], begin[1]);
  EXPECT_NE(across[0], begin[0]);
  EXPECT_EQ(Generator(large).value(period + 1), static_cast<double>(begin[1]));
}

TEST(Generator, FillsPiecewiseAsAtOnce) {
  for (const char* kind : {"uniform", "normal", "index", "permutation", "clustered"}) {
    const BufferSpec buffer = spec(kind, "i64", 5000, 0, 1000, 1);
    const auto whole = values<std::int64_t>(buffer, 0, 5000);
    const auto piece = values<std::int64_t>(buffer, 1234, 777);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + 1234)) << kind;
    EXPECT_EQ(Generator(buffer).value(4999), static_cast<double>(whole[4999])) << kind;
  }
}

TEST(Generator, ClustersStayWithinTheirRuns) {
  const std::int64_t count = 2500;  // the last run is shorter
  const auto drawn = values<std::int32_t>(spec("clustered", "i32", count, 0, 0, 1), 0, count);
  for (std::int64_t i = 0; i < count; ++i)
    ASSERT_EQ(drawn[static_cast<std::size_t>(i)] / 1000, i / 1000);
  std::vector<std::int32_t> sorted = drawn;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_NE(drawn, sorted);
}

TEST(Generator, ConstantsAndIndicesInEveryType) {
  EXPECT_EQ(values<std::uint16_t>(spec("constant", "f16", 3, 1, 0, 0), 0, 3),
            (std::vector<std::uint16_t>{0x3c00, 0x3c00, 0x3c00}));
  EXPECT_EQ(values<std::uint16_t>(spec("constant", "bf16", 1, -3, 0, 0), 0, 1),
            (std::vector<std::uint16_t>{0xc040}));
  EXPECT_EQ(values<std::uint8_t>(spec("index", "u8", 300, 0, 0, 0), 255, 2),
            (std::vector<std::uint8_t>{255, 0}));
  EXPECT_EQ(values<std::int8_t>(spec("constant", "i8", 1, -7, 0, 0), 0, 1),
            (std::vector<std::int8_t>{-7}));
  EXPECT_EQ(values<std::uint32_t>(spec("index", "u32", 10, 0, 0, 0), 9, 1),
            (std::vector<std::uint32_t>{9}));
}

TEST(Generator, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(Generator(spec("gaussian", "f32", 1, 0, 1, 0)), TunerError);
  EXPECT_THROW(Generator(spec("uniform", "f8", 1, 0, 1, 0)), TunerError);
  EXPECT_THROW(Generator(spec("uniform", "f32", 1, 0, 1, 0)).value(1), TunerError);
  BufferSpec runless = spec("clustered", "i32", 10, 0, 0, 0);
  runless.init.run = 0;
  EXPECT_THROW(Generator{runless}, TunerError);
}

TEST(Generator, ReadsFiles) {
  std::string name = std::filesystem::temp_directory_path() / "tuner-values-XXXXXX";
  const int fd = ::mkstemp(name.data());
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::close(fd), 0);
  const std::array<float, 3> stored{1.5F, -2.0F, 8.0F};
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(stored.data()), sizeof stored);
  BufferSpec buffer = spec("file", "f32", 3, 0, 0, 0);
  buffer.init.file = name;
  EXPECT_EQ(values<float>(buffer, 1, 2), (std::vector<float>{-2.0F, 8.0F}));
  EXPECT_EQ(Generator(buffer).value(0), 1.5);
  buffer.count = 4;
  EXPECT_THROW(Generator{buffer}, TunerError);
  std::filesystem::remove(name);
  EXPECT_THROW(Generator{buffer}, TunerError);
}

}  // namespace
}  // namespace tuner
