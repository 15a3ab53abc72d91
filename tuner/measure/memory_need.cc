#include "tuner/measure/memory_need.h"

#include <fmt/format.h>

#include <limits>

#include "expr/error.h"
#include "tuner/kernel/element.h"
#include "tuner/measure/guard.h"

namespace tuner {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

}  // namespace

std::int64_t buffer_bytes(const BufferSpec& buffer) {
  if (buffer.count < 0) {
    throw TunerError(fmt::format("Buffer '{}' would have {} elements.", buffer.name, buffer.count));
  }
  return saturating_multiply(buffer.count, size_of(parse_element(buffer.element)));
}

std::int64_t device_bytes_needed(const MeasureSetup& setup) {
  std::int64_t total = 0;
  for (const BufferSpec& buffer : setup.buffers) {
    const std::int64_t bytes = buffer_bytes(buffer);
    const bool restored = buffer.input && buffer.output;
    for (int copy = 0; copy < (restored ? 2 : 1); ++copy) {
      total = saturating_add(total, saturating_add(bytes, 2 * kGuardBytes));
    }
    if (buffer.output && !setup.verification.reference_cubin.empty()) {
      total = saturating_add(total, saturating_multiply(buffer.count, 8));
    }
  }
  return total;
}

}  // namespace tuner
