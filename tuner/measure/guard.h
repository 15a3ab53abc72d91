// What is written around every buffer, and finding out that a kernel wrote over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tuner {

// Before and behind the data. A page, so that the data keeps a page's alignment within an
// allocation.
inline constexpr std::int64_t kGuardBytes = 4096;
inline constexpr std::uint8_t kGuardByte = 0xA7;

struct GuardDamage {
  // Of the first changed byte: below 0 before the buffer, else counted from its end.
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  // from the first to the last changed one, in one guard
};
// Looks at the guard before a buffer (its last byte is next to the data) and the one behind it,
// which is reported first.
std::optional<GuardDamage> find_damage(std::span<const std::byte> before,
                                       std::span<const std::byte> behind);
// "writes outside of buffer 'y': 4 bytes, the first 0 bytes past its end".
std::string describe_damage(const std::string& name, const GuardDamage& damage);

}  // namespace tuner
