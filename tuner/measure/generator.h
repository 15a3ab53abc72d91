// The values that a buffer holds before a run, made on the host.
//
// "uniform" and "normal" values depend on (seed, i mod kPeriod) alone: the same on every machine,
// and a large buffer is a tiling of one block of a prime length, which no power of two or matrix
// row divides. All other kinds are exact for every element:
//   uniform      low + (high - low) * u, u in [0, 1); integers: low .. high, both included
//   normal       mean low, deviation high; the sum of twelve uniform 16-bit numbers, which needs no
//                function of the C library and so comes out alike everywhere; at most 6 deviations
//   constant     low
//   index        i
//   permutation  a shuffled 0 .. count-1
//   clustered    each run of `run` elements holds its own indices, shuffled
//   file         raw little-endian elements; the file may hold more than are needed
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/kernel/element.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/permutation.h"

namespace tuner {

class Generator {
 public:
  static constexpr std::int64_t kPeriod = 4194301;  // the largest prime below 2^22

  // Throws TunerError: unknown kind or element type, no such file, too short a file.
  explicit Generator(BufferSpec spec);

  // Writes elements first .. first+count-1 to `out`. Uses several threads. One caller at a time.
  void fill(std::int64_t first, std::int64_t count, std::byte* out);
  // As a double. Throws TunerError outside of 0 .. count-1.
  double value(std::int64_t index) const;
  Element element() const { return element_; }

 private:
  enum class Kind { uniform, normal, constant, index, permutation, clustered, file };
  static Kind parse_kind(const BufferSpec& spec);
  template <typename T>
  T make(std::int64_t index) const;
  template <typename T>
  T make_drawn(std::int64_t index) const;
  std::int64_t make_clustered(std::int64_t index) const;
  void fill_directly(std::int64_t first, std::int64_t count, std::byte* out) const;
  void fill_from_block(std::int64_t first, std::int64_t count, std::byte* out);
  void read_from_file(std::int64_t first, std::int64_t count, std::byte* out) const;

  BufferSpec spec_;
  Element element_;
  Kind kind_;
  Permutation permutation_;
  std::vector<std::byte> block_;  // one period of a drawn kind, once it was needed
};

}  // namespace tuner
