#include "models/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/architecture.h"
#include "tests/models/known_devices.h"

namespace tuner::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kLight = 16;  // registers of a kernel that they never limit
constexpr std::int64_t kKib = 1024;

struct Case {
  BlockResources block;
  int blocks;
  double occupancy;
};

// NVIDIA's documented figures for T4.
TEST(Occupancy, AgreesWithTheDocumentedFiguresForT4) {
  const Case cases[] = {
      {{32, kLight, 0, 0}, 16, 0.5},
      {{64, kLight, 0, 0}, 16, 1},
      {{128, kLight, 0, 0}, 8, 1},
      {{256, kLight, 0, 0}, 4, 1},
      {{512, kLight, 0, 0}, 2, 1},
      {{1024, kLight, 0, 0}, 1, 1},
      {{256, kLight, 0, 8 * kKib}, 4, 1},
      {{256, kLight, 0, 16 * kKib}, 4, 1},
      {{256, kLight, 0, 32 * kKib}, 2, 0.5},
      {{256, kLight, 0, 48 * kKib}, 1, 0.25},
      {{256, kLight, 0, 64 * kKib}, 1, 0.25},
      {{48, kLight, 0, 0}, 16, 1},
  };
  const DeviceProfile t4 = known_device("t4");
  for (const Case& each : cases) {
    const Occupancy found = occupancy(t4, each.block);
    EXPECT_EQ(found.blocks_per_sm, each.blocks) << each.block.threads;
    EXPECT_DOUBLE_EQ(found.occupancy, each.occupancy) << each.block.threads;
    EXPECT_THAT(found.refusal, IsEmpty());
  }
}

TEST(Occupancy, NamesWhatBinds) {
  const DeviceProfile t4 = known_device("t4");
  EXPECT_THAT(occupancy(t4, {64, kLight, 0, 0}).limiters,
              ElementsAre(Limiter::warps, Limiter::blocks));
  EXPECT_THAT(occupancy(t4, {32, kLight, 0, 0}).limiters, ElementsAre(Limiter::blocks));
  EXPECT_THAT(occupancy(t4, {256, 128, 0, 0}).limiters, ElementsAre(Limiter::registers));
  EXPECT_THAT(occupancy(t4, {256, kLight, 0, 32 * kKib}).limiters,
              ElementsAre(Limiter::shared_memory));
  EXPECT_EQ(occupancy(t4, {256, 128, 0, 0}).limits.registers, 2);
}

// Registers of H200 by hand: 65536 / 4 partitions / (32 registers x 32 lanes = 1024) = 16 warps
// each.
TEST(Occupancy, CountsRegistersByWarpAndPartition) {
  const DeviceProfile h200 = known_device("h200");
  EXPECT_EQ(occupancy(h200, {1024, 32, 0, 0}).blocks_per_sm, 2);
  EXPECT_EQ(occupancy(h200, {1024, 33, 0, 0}).blocks_per_sm,
            1);  // 40 after rounding: 12 warps each
  EXPECT_EQ(occupancy(h200, {256, 255, 0, 0}).blocks_per_sm, 1);
  EXPECT_EQ(occupancy(h200, {128, 128, 0, 0}).blocks_per_sm, 4);
  // 5 warps of 168 registers: 3 warps a partition, 12 a SM, so 2 blocks.
  EXPECT_EQ(occupancy(h200, {160, 168, 0, 0}).blocks_per_sm, 2);
}

// 1 KB is reserved for each block: 228 / (48 + 1) = 4 and 228 / (113 + 1) = 2.
TEST(Occupancy, ReservesSharedMemoryAndAllowsOptIn) {
  const DeviceProfile h200 = known_device("h200");
  EXPECT_EQ(occupancy(h200, {128, 32, 0, 48 * kKib}).blocks_per_sm, 4);
  EXPECT_EQ(occupancy(h200, {128, 32, 0, 113 * kKib}).blocks_per_sm, 2);
  EXPECT_EQ(occupancy(h200, {128, 32, 0, 114 * kKib}).blocks_per_sm, 1);
  EXPECT_EQ(occupancy(h200, {128, 32, 0, 227 * kKib}).blocks_per_sm, 1);
  EXPECT_EQ(occupancy(h200, {128, 32, 16 * kKib, 211 * kKib}).blocks_per_sm, 1);
  EXPECT_THAT(occupancy(h200, {128, 32, 0, 227 * kKib + 1}).refusal,
              HasSubstr("a block may have 232448 with opt-in"));
  EXPECT_THAT(occupancy(h200, {128, 32, 48 * kKib + 1, 0}).refusal,
              HasSubstr("static shared memory; a block may have 49152"));
}

TEST(Occupancy, RefusesInWords) {
  const DeviceProfile h200 = known_device("h200");
  const Occupancy registers = occupancy(h200, {1024, 128, 0, 0});
  EXPECT_EQ(registers.blocks_per_sm, 0);
  EXPECT_EQ(registers.refusal,
            "128 registers x 1024 threads need 131072 registers; a block may have 65536");
  EXPECT_EQ(occupancy(h200, {1025, 32, 0, 0}).refusal,
            "1025 threads a block; a block may have 1024");
  EXPECT_THAT(occupancy(h200, {0, 32, 0, 0}).refusal, HasSubstr("at least 1"));
  EXPECT_THAT(occupancy(h200, {32, 256, 0, 0}).refusal, HasSubstr("a thread may have 255"));
}

TEST(Occupancy, UnknownRegistersLimitNothing) {
  EXPECT_EQ(occupancy(known_device("h200"), {1024, 0, 0, 0}).blocks_per_sm, 2);
}

TEST(Occupancy, KnowsEveryArchitecture) {
  // Blocks and warps a SM of one-warp blocks, from the table of technical specifications.
  const std::pair<int, int> cases[] = {{75, 16}, {80, 32},  {86, 16},  {87, 16},  {89, 24},
                                       {90, 32}, {100, 32}, {103, 32}, {120, 24}, {121, 24}};
  for (const auto& [cc, blocks] : cases) {
    DeviceProfile device;
    apply_architecture_limits(device, cc);
    device.sm_count = 1;
    EXPECT_EQ(occupancy(device, {32, kLight, 0, 0}).blocks_per_sm, blocks) << cc;
    EXPECT_EQ(device.max_blocks_per_sm, blocks) << cc;
  }
}

TEST(SuggestBlock, IsTheLargestOfTheFullestBlocks) {
  const SuggestedLaunch t4 = suggest_block(known_device("t4"), {0, kLight, 0, 0});
  EXPECT_EQ(t4.block, 1024);
  EXPECT_EQ(t4.min_grid, 40);
  const SuggestedLaunch h200 = suggest_block(known_device("h200"), {0, kLight, 0, 0});
  EXPECT_EQ(h200.block, 1024);
  EXPECT_EQ(h200.min_grid, 264);
}

TEST(TextbookOccupancy, FollowsTheFormula) {
  const TextbookSm small{32, 32, 65536, 48 * kKib, 1024};
  const Occupancy shared = textbook_occupancy(small, {256, 64, 0, 16 * kKib});
  EXPECT_EQ(shared.blocks_per_sm, 3);
  EXPECT_DOUBLE_EQ(shared.occupancy, 0.75);
  EXPECT_THAT(shared.limiters, ElementsAre(Limiter::shared_memory));
  EXPECT_EQ(textbook_occupancy(small, {256, 64, 0, 0}).blocks_per_sm, 4);
  EXPECT_EQ(textbook_occupancy(small, {256, 128, 0, 0}).blocks_per_sm, 2);
  EXPECT_DOUBLE_EQ(textbook_occupancy(small, {256, 128, 0, 0}).occupancy, 0.5);
  const Occupancy refused = textbook_occupancy(small, {1024, 128, 0, 0});
  EXPECT_EQ(refused.blocks_per_sm, 0);
  EXPECT_THAT(refused.refusal, HasSubstr("128 registers x 1024 threads need 131072"));

  const TextbookSm large{64, 32, 65536, 100 * kKib, 1024};
  EXPECT_EQ(textbook_occupancy(large, {1024, 40, 0, 8320}).blocks_per_sm, 1);
  EXPECT_DOUBLE_EQ(textbook_occupancy(large, {1024, 40, 0, 8320}).occupancy, 0.5);
  EXPECT_EQ(textbook_occupancy(large, {1024, 32, 0, 8320}).blocks_per_sm, 2);
  EXPECT_EQ(textbook_occupancy(large, {1024, 32, 0, 8320}).limits.shared_memory, 12);
}

}  // namespace
}  // namespace tuner::models
