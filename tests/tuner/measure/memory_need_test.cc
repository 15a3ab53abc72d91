#include "tuner/measure/memory_need.h"

#include <gtest/gtest.h>

#include <limits>

#include "expr/error.h"
#include "tuner/measure/guard.h"

namespace tuner {
namespace {

BufferSpec buffer(const char* element, std::int64_t count, bool input, bool output) {
  BufferSpec spec;
  spec.name = "b";
  spec.element = element;
  spec.count = count;
  spec.input = input;
  spec.output = output;
  return spec;
}

TEST(DeviceBytesNeeded, AddsBuffersGuardsCopiesAndReferences) {
  MeasureSetup setup;
  setup.buffers = {buffer("f32", 1000, true, false), buffer("f16", 1000, false, true),
                   buffer("i64", 1000, true, true)};
  const std::int64_t plain = 4000 + 2000 + 2 * 8000 + 4 * 2 * kGuardBytes;
  EXPECT_EQ(device_bytes_needed(setup), plain);
  setup.verification.reference_cubin = "reference.cubin";
  EXPECT_EQ(device_bytes_needed(setup), plain + 2 * 8000);
  EXPECT_EQ(device_bytes_needed(MeasureSetup{}), 0);
}

TEST(DeviceBytesNeeded, SaturatesInsteadOfOverflowing) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  MeasureSetup setup;
  for (const std::int64_t count : {kMost, kMost / 2, kMost / 4, kMost / 8 + 1}) {
    setup.buffers = {buffer("f64", count, true, true), buffer("f64", count, false, true)};
    EXPECT_EQ(device_bytes_needed(setup), kMost) << count;
  }
  setup.buffers = {buffer("u8", 65536LL * 65536, true, false)};
  EXPECT_EQ(device_bytes_needed(setup), 4294967296 + 2 * kGuardBytes);
}

TEST(DeviceBytesNeeded, RefusesNonsense) {
  MeasureSetup setup;
  setup.buffers = {buffer("f32", -1, true, false)};
  EXPECT_THROW(device_bytes_needed(setup), TunerError);
  setup.buffers = {buffer("complex", 1, true, false)};
  EXPECT_THROW(device_bytes_needed(setup), TunerError);
}

}  // namespace
}  // namespace tuner
