// The estimate of streaming kernels against published and measured curves.
#include <gtest/gtest.h>

#include "tests/models/known_devices.h"
#include "tests/models/stream_shapes.h"

namespace tuner::models {
namespace {

constexpr double kCopyInstructions = 20;
constexpr double kGatherInstructions = 101;  // with a 64-bit division and a remainder, as counted

// y = 2 x, 2^28 floats, measured on a H200.
TEST(StreamingH200, FollowsTheSweepOfBlockSizes) {
  const DeviceProfile h200 = known_device("h200");
  const std::pair<int, double> measured[] = {{32, 425},   {64, 849},   {128, 1688},
                                             {256, 2626}, {512, 2416}, {1024, 2178}};
  for (const auto& [block, gbps] : measured) {
    EXPECT_NEAR(stream_gbps(h200, {.block = block}, kCopyInstructions), gbps, 0.2 * gbps) << block;
  }
  const auto at = [&](int block) { return stream_gbps(h200, {.block = block}, kCopyInstructions); };
  EXPECT_GT(at(256), at(512));
  EXPECT_GT(at(512), at(1024));
  EXPECT_GT(at(256), at(128));
}

TEST(StreamingH200, FollowsCopiesBySizeAndWidth) {
  struct Copy {
    int log2_size;
    double scalar, vector;
  };
  const DeviceProfile h200 = known_device("h200");
  for (const Copy& each : {Copy{26, 2441, 4088}, Copy{28, 2590, 4245}, Copy{30, 2631, 4288}}) {
    const std::int64_t n = std::int64_t{1} << each.log2_size;
    EXPECT_NEAR(stream_gbps(h200, {.elements = n}, kCopyInstructions), each.scalar,
                0.2 * each.scalar);
    EXPECT_NEAR(stream_gbps(h200, {.elements = n, .width = 4}, kCopyInstructions), each.vector,
                0.15 * each.vector);
  }
}

TEST(StreamingH200, MoreLoadsInFlightHelpUntilTheRoof) {
  const DeviceProfile h200 = known_device("h200");
  const auto at = [&](int width, int items) {
    return stream_gbps(h200, {.width = width, .items = items}, kCopyInstructions);
  };
  EXPECT_GT(at(1, 4), 1.2 * at(1, 1));
  EXPECT_GT(at(4, 1), 1.3 * at(1, 1));
  EXPECT_NEAR(at(4, 4), at(4, 2), 0.1 * at(4, 2));
  EXPECT_LT(at(4, 4), h200.dram_peak_gbps);
}

// Measured on a H200. Beyond 16 every piece of DRAM is a run of its own; how far they lie apart is
// not modelled.
TEST(StreamingH200, GatherFallsToStride16AndFartherByPages) {
  const DeviceProfile h200 = known_device("h200");
  const std::pair<int, double> measured[] = {{1, 2073}, {2, 1971}, {4, 1604}, {8, 995}, {16, 525}};
  double before = 1e9;
  for (const auto& [stride, gbps] : measured) {
    const double found = stream_gbps(h200, {.stride = stride}, kGatherInstructions);
    EXPECT_NEAR(found, gbps, 0.25 * gbps) << stride;
    EXPECT_LT(found, before) << stride;
    before = found;
  }
  const std::pair<int, double> far[] = {{32, 456}, {64, 389}, {128, 353}};
  for (const auto& [stride, gbps] : far) {
    const double found = stream_gbps(h200, {.stride = stride}, kGatherInstructions);
    EXPECT_NEAR(found, gbps, 0.2 * gbps) << stride;
    EXPECT_LT(found, 0.8 * before) << stride;
  }
}

// Measured on a T4: 184 GB/s for blocks of 32, 242 to 244 from 64 to 1024.
TEST(StreamingT4, OnlyBlocksOfOneWarpAreSlower) {
  const DeviceProfile t4 = known_device("t4");
  const auto at = [&](int block) { return stream_gbps(t4, {.block = block}, kCopyInstructions); };
  EXPECT_NEAR(at(32), 184, 0.15 * 184);
  for (const int block : {64, 128, 256, 512, 1024}) {
    EXPECT_NEAR(at(block), 243, 0.1 * 243) << block;
    EXPECT_NEAR(at(block), at(256), 0.03 * at(256)) << block;
    EXPECT_GT(at(block), 1.05 * at(32)) << block;
  }
}

// Measured on a T4, strides 1 to 16 of the reads.
TEST(StreamingT4, GatherFollowsTheMeasuredCurve) {
  const DeviceProfile t4 = known_device("t4");
  const std::pair<int, double> measured[] = {{1, 244}, {2, 172}, {4, 108}};
  for (const auto& [stride, gbps] : measured) {
    EXPECT_NEAR(stream_gbps(t4, {.stride = stride}, kCopyInstructions), gbps, 0.25 * gbps)
        << stride;
  }
}

TEST(Residency, WarmInputsThatFitL2AreFaster) {
  const DeviceProfile h200 = known_device("h200");
  KernelShape kernel = stream_kernel(h200, {.elements = 1 << 22, .width = 4}, kCopyInstructions);
  const double cold = estimate(h200, kernel).time_ns;
  kernel.cold = false;
  EXPECT_LT(estimate(h200, kernel).time_ns, 0.95 * cold);
  KernelShape large = stream_kernel(h200, {.width = 4}, kCopyInstructions);
  const double large_cold = estimate(h200, large).time_ns;
  large.cold = false;
  EXPECT_DOUBLE_EQ(estimate(h200, large).time_ns, large_cold);
}

TEST(Residency, ReuseTakesTrafficOffDram) {
  const DeviceProfile h200 = known_device("h200");
  KernelShape kernel = stream_kernel(h200, {.stride = 8}, kCopyInstructions);
  const double once = estimate(h200, kernel).time_ns;
  kernel.launches[0].accesses[0].reuse = 8;
  EXPECT_LT(estimate(h200, kernel).time_ns,
            0.9 * once);  // then L2 moves the sectors again and again
  kernel.launches[0].accesses[0].l1_reuse = 8;
  EXPECT_LT(estimate(h200, kernel).time_ns, 0.6 * once);
}

}  // namespace
}  // namespace tuner::models
