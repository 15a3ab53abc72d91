#include "tuner/launch/scalar.h"

#include <gtest/gtest.h>

#include "tuner/launch/launch_sequence.h"

namespace tuner {
namespace {

TEST(EncodeScalar, MakesTheBytesOfItsType) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> result;
    for (const int value : values) result.push_back(static_cast<std::byte>(value));
    return result;
  };
  EXPECT_EQ(encode_scalar("n", "i32", std::int64_t{-2}), bytes({0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(encode_scalar("n", "i64", std::int64_t{258}), bytes({2, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(encode_scalar("a", "f32", 1.0), bytes({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(encode_scalar("a", "f32", std::int64_t{1}), bytes({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(encode_scalar("a", "f16", 1.0), bytes({0, 0x3c}));
  EXPECT_EQ(encode_scalar("b", "bool", true), bytes({1}));
  EXPECT_EQ(encode_scalar("b", "u8", std::int64_t{255}), bytes({255}));
}

TEST(EncodeScalar, RefusesWhatDoesNotFit) {
  EXPECT_THROW(encode_scalar("n", "i32", std::int64_t{2147483648}), LaunchRefused);
  EXPECT_THROW(encode_scalar("n", "u32", std::int64_t{-1}), LaunchRefused);
  EXPECT_THROW(encode_scalar("n", "i32", std::string("f32")), TunerError);
  EXPECT_THROW(encode_scalar("n", "quaternion", std::int64_t{1}), TunerError);
}

}  // namespace
}  // namespace tuner
