// Draws that come out the same with every standard library, which its distributions do not promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace tuner::search {

// Uniform in [0, bound), of a bound above 0 and far below 2^64.
inline std::size_t random_index(std::mt19937_64& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

template <class Item>
void shuffle(std::span<Item> items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random_index(random, i)]);
  }
}

}  // namespace tuner::search
