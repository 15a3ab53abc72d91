#include "tuner/measure/permutation.h"

#include <algorithm>
#include <bit>

namespace tuner {

Permutation::Permutation(std::int64_t count, std::uint64_t seed)
    : count_(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(count_ - 1)));
  mask_ = (bits >= 64) ? ~0ULL : (1ULL << bits) - 1;
  shift_ = std::max(1, bits / 2);
  for (std::size_t round = 0; round < factors_.size(); ++round) {
    factors_[round] = mixed(seed, 2 * round) | 1U;
    offsets_[round] = mixed(seed, 2 * round + 1);
  }
}

std::int64_t Permutation::operator()(std::int64_t index) const {
  auto x = static_cast<std::uint64_t>(index);
  do {
    for (std::size_t round = 0; round < factors_.size(); ++round) {
      x = (x * factors_[round] + offsets_[round]) & mask_;
      x ^= x >> shift_;
    }
  } while (x >= count_);
  return static_cast<std::int64_t>(x);
}

}  // namespace tuner
