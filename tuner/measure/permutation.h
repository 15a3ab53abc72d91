// A shuffled order of 0 .. count-1 that is computed, not stored.
#pragma once

#include <array>
#include <cstdint>

namespace tuner {

// A bijection of 0 .. count-1, different for each seed. Each step is a bijection of the numbers of
// ceil(log2(count)) bits; an image outside of the range is mapped again until it falls inside,
// which keeps it a bijection and takes two rounds at most on average. Thread-safe.
class Permutation {
 public:
  Permutation(std::int64_t count, std::uint64_t seed);
  std::int64_t operator()(std::int64_t index) const;

 private:
  static constexpr int kRounds = 4;

  std::uint64_t count_;
  std::uint64_t mask_;
  int shift_;
  std::array<std::uint64_t, kRounds> factors_{};  // odd
  std::array<std::uint64_t, kRounds> offsets_{};
};

// A well mixed 64-bit number for each (seed, index): the finaliser of SplitMix64 (Steele, Lea,
// Flood 2014) over a Weyl sequence.
inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95ULL + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace tuner
