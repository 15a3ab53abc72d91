#include "models/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/join.h"
#include "models/pipes.h"
#include "tests/models/known_devices.h"
#include "tests/models/stream_shapes.h"

namespace tuner::models {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kSize = 4096;

struct Tile {
  int bm, bn, bk, tm, tn;
};

MemoryAccess shared_load(double requests, int width) {
  MemoryAccess access;
  access.name = "fragment";
  access.shared = true;
  access.width_bytes = width;
  access.requests_per_warp = requests;
  access.bank_wavefronts = width / 4.0;
  return access;
}

MemoryAccess tile_load(const char* name, double requests, double reuse) {
  MemoryAccess access;
  access.name = name;
  access.width_bytes = 16;
  access.requests_per_warp = requests;
  access.sectors_per_request = 16;
  access.lines_per_request = 4;
  access.granules_per_request = 8;
  access.reuse = reuse;
  access.buffer_bytes = 4.0 * kSize * kSize;
  return access;
}

// A register-tiled matrix product of 4096 with 128-bit accesses.
KernelShape matmul(const Tile& tile) {
  LaunchShape launch;
  launch.blocks = std::int64_t{kSize / tile.bm} * (kSize / tile.bn);
  launch.threads = tile.bm / tile.tm * (tile.bn / tile.tn);
  launch.static_shared = std::int64_t{4} * tile.bk * (tile.bm + tile.bn);
  launch.registers = std::min(255, tile.tm * tile.tn + 2 * (tile.tm + tile.tn) + 24);
  launch.fma_per_thread = static_cast<double>(kSize) * tile.tm * tile.tn;
  launch.ilp = tile.tm * tile.tn;
  const double steps = kSize / static_cast<double>(tile.bk);
  const double a = steps * tile.bm * tile.bk / 4 / launch.threads;
  const double b = steps * tile.bn * tile.bk / 4 / launch.threads;
  launch.loads_in_flight = std::max(1.0, (a + b) / steps);
  launch.barriers_per_block = 2 * steps;
  launch.instructions_per_thread = 30 * steps;
  launch.accesses = {tile_load("A", a, 8), tile_load("B", b, 8)};
  for (const int side : {tile.tm, tile.tn}) {
    const int width = 4 * std::min(4, side);
    launch.accesses.push_back(shared_load(static_cast<double>(kSize) * side * 4 / width, width));
  }
  const double n = kSize;
  return {.launches = {launch}, .useful_flops = 2 * n * n * n, .useful_bytes = 12 * n * n};
}

double tflops(const KernelShape& kernel) {
  return kernel.useful_flops / estimate(known_device("h200"), kernel).time_ns * 1e-3;
}

TEST(EstimateMatmul, RanksTilesAsMeasured) {
  const double large = tflops(matmul({128, 128, 8, 8, 8}));
  const double medium = tflops(matmul({64, 64, 8, 4, 4}));
  const double naive = tflops(matmul({32, 32, 32, 1, 1}));
  EXPECT_GT(large, 1.2 * medium);
  EXPECT_GT(medium, 2 * naive);
  EXPECT_NEAR(large, 46, 12);  // CUTLASS' 128x128x8 reach 40 to 49
  EXPECT_LT(naive, 15);
}

TEST(EstimateMatmul, BankConflictsAndSpillsCost) {
  const KernelShape good = matmul({128, 128, 8, 8, 8});
  KernelShape conflicts = good;
  conflicts.launches[0].accesses[2].bank_wavefronts *= 4;
  EXPECT_LT(tflops(conflicts), 0.75 * tflops(good));
  const Estimate explained = estimate(known_device("h200"), conflicts);
  EXPECT_EQ(explained.bound, "shared");
  EXPECT_THAT(explained.words, HasSubstr("bank conflicts"));
  KernelShape spills = good;
  spills.launches[0].spill_bytes = 32;  // a few instructions of an unrolled loop
  EXPECT_LT(tflops(spills), tflops(good));
  EXPECT_GT(tflops(spills), 0.95 * tflops(good));
  spills.launches[0].spill_bytes = 2000;
  EXPECT_LT(tflops(spills), 0.75 * tflops(good));
}

TEST(EstimateMatmul, SharedBoundTeachesALargerTile) {
  const Estimate found = estimate(known_device("h200"), matmul({32, 32, 32, 1, 1}));
  EXPECT_EQ(found.bound, "shared");
  EXPECT_THAT(found.words, HasSubstr("each FMA needs 8.00 B of shared loads; a larger tile"));
}

TEST(Estimate, PipesAreSortedAndBoundIsBelowTheTime) {
  for (const DeviceProfile& device : known_devices()) {
    const Estimate found = estimate(device, matmul({64, 64, 8, 4, 4}));
    EXPECT_TRUE(found.keep) << device.id;
    EXPECT_GT(found.bound_ns, 0) << device.id;
    EXPECT_LE(found.bound_ns, found.time_ns) << device.id;
    EXPECT_EQ(found.bound, found.pipes.front().name) << device.id;
    for (std::size_t i = 1; i < found.pipes.size(); ++i) {
      EXPECT_GE(found.pipes[i - 1].time_ns, found.pipes[i].time_ns) << device.id;
    }
    EXPECT_EQ(found.occupancy.size(), 1U);
  }
}

// 2 x 4096^3 at 66.9 TFLOP/s, less the headroom of 15 %.
TEST(Estimate, BoundIsTheRoof) {
  EXPECT_NEAR(estimate(known_device("h200"), matmul({128, 128, 8, 8, 8})).bound_ns,
              137.44e9 / 66.9e3 / 1.15, 5e3);
  // 2^28 / 32 blocks at 1660 a microsecond.
  const DeviceProfile h200 = known_device("h200");
  EXPECT_NEAR(estimate(h200, stream_kernel(h200, {.block = 32}, 10)).bound_ns,
              8388608 / 1660.0 * 1e3 / 1.15, 10);
}

struct Refused {
  const char* reason;
  void (*change)(LaunchShape&);
};

TEST(Estimate, DropsWhatCannotLaunchWithACountableReason) {
  const Refused cases[] = {
      {"cannot launch: registers", [](LaunchShape& s) { s.threads = 1024, s.registers = 128; }},
      {"cannot launch: shared memory", [](LaunchShape& s) { s.dynamic_shared = 300000; }},
      {"cannot launch: block over 1024 threads", [](LaunchShape& s) { s.threads = 2048; }},
      {"cannot launch: empty grid", [](LaunchShape& s) { s.blocks = 0; }},
      {"cannot launch: empty block", [](LaunchShape& s) { s.threads = 0; }},
      {"grid over the device's limit",
       [](LaunchShape& s) {
         s.grid = {1, 65536, 1};
       }},
      {"cannot launch: block dimension over the device's limit",
       [](LaunchShape& s) {
         s.block = {1, 1, 128};
       }},
      {"cannot launch: cluster too large", [](LaunchShape& s) { s.cluster_blocks = 16; }},
      {"cannot launch: cooperative grid does not fit",
       [](LaunchShape& s) { s.cooperative = true; }},
  };
  for (const Refused& each : cases) {
    KernelShape kernel = stream_kernel(known_device("h200"), {}, 10);
    each.change(kernel.launches[0]);
    const Estimate found = estimate(known_device("h200"), kernel);
    EXPECT_FALSE(found.keep) << each.reason;
    EXPECT_EQ(found.drop_reason, each.reason);
    EXPECT_TRUE(std::isinf(found.time_ns)) << each.reason;
    EXPECT_THAT(found.words, HasSubstr(each.reason));
    EXPECT_THAT(found.bound, IsEmpty());
  }
}

TEST(Estimate, BeforeCompilingOnlyWhatIsSureCounts) {
  KernelShape kernel = matmul({128, 128, 8, 8, 8});
  kernel.launches[0].registers.reset();
  kernel.launches[0].static_shared.reset();
  const Estimate found = estimate(known_device("h200"), kernel);
  EXPECT_TRUE(found.keep);
  EXPECT_LE(found.time_ns, estimate(known_device("h200"), matmul({128, 128, 8, 8, 8})).time_ns);
  // 16 x 16 sums and 255 registers: sure to spill, and more so with 1024 threads.
  KernelShape spilling = kernel;
  spilling.launches[0].min_registers = 320;
  EXPECT_EQ(estimate(known_device("h200"), spilling).drop_reason, "spills");
  EXPECT_TRUE(std::isfinite(estimate(known_device("h200"), spilling).time_ns));
}

TEST(Estimate, WithoutAModelItRestsOnWorkAndSaysSo) {
  const DeviceProfile h200 = known_device("h200");
  KernelShape kernel = stream_kernel(h200, {}, 10);
  const double described = estimate(h200, kernel).time_ns;
  kernel.launches[0].accesses.clear();
  kernel.launches[0].instructions_per_thread = 0;
  const Estimate found = estimate(h200, kernel);
  EXPECT_THAT(found.words, HasSubstr("has no model"));
  EXPECT_NEAR(found.time_ns, described, 0.5 * described);
  EXPECT_GE(found.time_ns, kernel.useful_bytes / h200.dram_peak_gbps);
}

TEST(Estimate, ASecondLaunchAndAMemsetCost) {
  const DeviceProfile h200 = known_device("h200");
  KernelShape kernel = stream_kernel(h200, {.elements = 1 << 20}, 10);
  const double once = estimate(h200, kernel).time_ns;
  LaunchShape second;
  second.blocks = 1;
  second.threads = 256;
  second.instructions_per_thread = 20;
  kernel.launches.push_back(second);
  const double twice = estimate(h200, kernel).time_ns;
  EXPECT_NEAR(twice - once, 1750, 500) << "half of a first launch";
  LaunchShape zero;
  zero.memset_bytes = 4.4e9;
  kernel.launches.push_back(zero);
  EXPECT_NEAR(estimate(h200, kernel).time_ns - twice, 1e6 + 1750, 1e3);
  EXPECT_EQ(estimate(h200, kernel).occupancy.size(), 3U);
}

TEST(Estimate, ShortKernelsAreBoundByTheirLaunch) {
  const DeviceProfile h200 = known_device("h200");
  const Estimate found = estimate(h200, stream_kernel(h200, {.elements = 1 << 14}, 10));
  EXPECT_EQ(found.bound, "launch");
  EXPECT_EQ(estimate(h200, stream_kernel(h200, {.block = 32}, 10)).bound, "dispatch");
  EXPECT_EQ(estimate(h200, stream_kernel(h200, {.width = 4, .items = 4}, 10)).bound, "dram");
  EXPECT_THAT(estimate(h200, stream_kernel(h200, {.width = 4, .items = 4, .stride = 32}, 10)).words,
              HasSubstr("uses only"));
}

TEST(Estimate, NothingLaunchedIsNoCrash) {
  EXPECT_THAT(estimate(known_device("h200"), {}).words, Not(IsEmpty()));
}

// 133 blocks on 132 SMs: the busiest does two, 132 of 133 wait.
TEST(Quantization, CountsWholeBlocksAndWaves) {
  const DeviceProfile h200 = known_device("h200");
  LaunchShape shape;
  shape.threads = 1024;
  const auto factors = [&](std::int64_t blocks) {
    shape.blocks = blocks;
    const LaunchLoad load{
        .device = h200, .shape = shape, .warps_per_block = 32, .resident_blocks = 2};
    return std::pair(block_quantization(load), wave_quantization(load));
  };
  EXPECT_DOUBLE_EQ(factors(132).first, 1);
  EXPECT_DOUBLE_EQ(factors(133).first, 2 * 132.0 / 133);
  EXPECT_DOUBLE_EQ(factors(132).second, 2);
  EXPECT_DOUBLE_EQ(factors(264).second, 1);
  EXPECT_DOUBLE_EQ(factors(265).second, 2 * 264.0 / 265);
}

// FMA loops on H200, three registers, 64 warps a SM: 32.8, 44.0, 65.0 TFLOP/s for 1, 2, 4 chains.
TEST(Pipes, RegisterPortsHoldBackShortChains) {
  const DeviceProfile h200 = known_device("h200");
  const std::pair<double, double> measured[] = {{1, 32.8}, {2, 44.0}, {4, 65.0}, {8, 65.1}};
  for (const auto& [chains, tflops_measured] : measured) {
    LaunchShape shape;
    shape.blocks = 264;
    shape.threads = 1024;
    shape.fma_per_thread = 1e6;
    shape.ilp = chains;
    const LaunchLoad load{.device = h200,
                          .shape = shape,
                          .warps_per_block = 32,
                          .warps = 264 * 32,
                          .resident_blocks = 2};
    const double flops = 2e6 * 264 * 1024;
    EXPECT_NEAR(flops / pipe_times(load).fma * 1e-3, tflops_measured, 0.05 * tflops_measured)
        << chains;
  }
}

TEST(Norm, IsTheSumAndTendsToTheMaximum) {
  EXPECT_DOUBLE_EQ(norm(3, 4, 1), 7);
  EXPECT_DOUBLE_EQ(norm(3, 4, 2), 5);
  EXPECT_NEAR(norm(3, 4, 50), 4, 0.01);
  EXPECT_EQ(norm(0, 0, 2), 0);
}

}  // namespace
}  // namespace tuner::models
