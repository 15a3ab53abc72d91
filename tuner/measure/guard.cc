#include "tuner/measure/guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace tuner {
namespace {

bool is_changed(std::byte byte) { return byte != std::byte{kGuardByte}; }

}  // namespace

std::optional<GuardDamage> find_damage(std::span<const std::byte> before,
                                       std::span<const std::byte> behind) {
  for (const auto& [guard, origin] :
       {std::pair{behind, std::int64_t{0}}, {before, -static_cast<std::int64_t>(before.size())}}) {
    const auto first = std::find_if(guard.begin(), guard.end(), is_changed);
    if (first == guard.end()) continue;
    const auto last = std::find_if(guard.rbegin(), guard.rend(), is_changed);
    return GuardDamage{origin + (first - guard.begin()), last.base() - first};
  }
  return std::nullopt;
}

std::string describe_damage(const std::string& name, const GuardDamage& damage) {
  if (damage.offset < 0) {
    return fmt::format(
        "writes outside of buffer '{}': {} bytes, the first {} bytes before its start", name,
        damage.bytes, -damage.offset);
  }
  return fmt::format("writes outside of buffer '{}': {} bytes, the first {} bytes past its end",
                     name, damage.bytes, damage.offset);
}

}  // namespace tuner
