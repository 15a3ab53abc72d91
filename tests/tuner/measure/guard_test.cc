#include "tuner/measure/guard.h"

#include <gtest/gtest.h>

#include <vector>

namespace tuner {
namespace {

std::vector<std::byte> guard() {
  return std::vector<std::byte>(static_cast<std::size_t>(kGuardBytes), std::byte{kGuardByte});
}

TEST(FindDamage, NoneInWholeGuards) { EXPECT_FALSE(find_damage(guard(), guard())); }

TEST(FindDamage, OnePastTheEnd) {
  std::vector<std::byte> behind = guard();
  for (std::size_t i = 0; i < 4; ++i) behind[i] = std::byte{0};
  const auto damage = find_damage(guard(), behind);
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->offset, 0);
  EXPECT_EQ(damage->bytes, 4);
  EXPECT_EQ(describe_damage("y", *damage),
            "writes outside of buffer 'y': 4 bytes, the first 0 bytes past its end");
}

TEST(FindDamage, OneBeforeTheStart) {
  std::vector<std::byte> before = guard();
  before.back() = std::byte{1};
  const auto damage = find_damage(before, guard());
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->offset, -1);
  EXPECT_EQ(damage->bytes, 1);
  EXPECT_EQ(describe_damage("y", *damage),
            "writes outside of buffer 'y': 1 bytes, the first 1 bytes before its start");
}

TEST(FindDamage, TheLastByteOfAGuard) {
  std::vector<std::byte> behind = guard();
  behind.back() = std::byte{1};
  const auto damage = find_damage(guard(), behind);
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->offset, kGuardBytes - 1);
}

}  // namespace
}  // namespace tuner
