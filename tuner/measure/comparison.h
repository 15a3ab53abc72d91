// Comparing outputs with their reference on the host: pure code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "expr/value.h"
#include "tuner/kernel/element.h"

namespace tuner {

// An element passes where x == reference, or where the reference is finite and
// |x - reference| <= absolute + relative * |reference|. NaN, on either side, never passes; an
// infinity only equals itself. Where `elementwise` is false, only a NaN or a wrong infinity fails,
// and the Frobenius error decides.
struct ElementTolerance {
  double relative = 0, absolute = 0;
  bool elementwise = true;
  double allowed(double reference) const {
    return absolute + relative * (reference < 0 ? -reference : reference);
  }
};

struct Comparison {
  std::int64_t checked = 0, failed = 0;
  std::int64_t worst_index =
      -1;                  // of the largest error against what is allowed; the first of equals
  double worst_ratio = 0;  // error / allowed there; infinity for a NaN or where nothing is allowed
  Value worst_value = std::int64_t{0}, worst_expected = std::int64_t{0};
  double squared_error = 0, squared_reference = 0;

  void add(const Comparison& other);
  // sqrt(squared_error / squared_reference); infinity for an error against a zero reference.
  double frobenius() const;
};

// `values` are elements first_index .. of an output, `reference` as many doubles (or, for integer
// elements, 64-bit integers). Uses several threads.
Comparison compare_elements(Element element, std::span<const std::byte> values,
                            std::span<const std::byte> reference, std::int64_t first_index,
                            const ElementTolerance& tolerance);

// One element against a double, as compare_elements() does.
Comparison compare_one(Element element, const std::byte* value, double expected, std::int64_t index,
                       const ElementTolerance& tolerance);

// "y[17] is 3.5, expected 7 (error 3.5, allowed 0.001); 2 of 4096 checked elements differ".
std::string describe_failure(const std::string& output, const Comparison& comparison,
                             const ElementTolerance& tolerance);

// Which bytes of an output are compared: all of them, or of one above kSampledBytes where not
// `full`: its first and its last piece of 64 KiB, and as many spread evenly between as make
// kSampledBytes together. A search looks at samples, so that the GPU does not wait for the host;
// finalists are compared in full. Pieces are in order, do not overlap, and hold whole elements of
// up to 8 bytes.
struct ByteRange {
  std::int64_t offset = 0, bytes = 0;
  bool operator==(const ByteRange&) const = default;
};
inline constexpr std::int64_t kSampledBytes = std::int64_t{4} << 20;
std::vector<ByteRange> ranges_to_check(std::int64_t bytes, bool full);

}  // namespace tuner
