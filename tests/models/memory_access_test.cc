#include "models/memory_access.h"

#include <gtest/gtest.h>

#include <functional>

namespace tuner::models {
namespace {

LaneAddresses lanes(const std::function<std::int64_t(int)>& address) {
  LaneAddresses result{};
  for (int lane = 0; lane < 32; ++lane) result[static_cast<std::size_t>(lane)] = address(lane);
  return result;
}

struct GlobalCase {
  const char* what;
  std::function<std::int64_t(int)> address;
  int width;
  int lanes, sectors, lines, granules, runs;
  double efficiency;
};

// Counted by hand from the addresses; the first three are NVIDIA's own examples.
const GlobalCase kGlobal[] = {
    {"contiguous floats", [](int i) { return 4 * i; }, 4, 32, 4, 1, 2, 1, 1},
    {"shifted by one float", [](int i) { return 4 * i + 4; }, 4, 32, 5, 2, 3, 1, 0.8},
    {"32-byte stride", [](int i) { return 32 * i; }, 4, 32, 32, 8, 16, 1, 0.125},
    {"64-byte stride", [](int i) { return 64 * i; }, 4, 32, 32, 16, 32, 1, 0.125},
    {"a column of 4096 floats a row", [](int i) { return 16384 * i; }, 4, 32, 32, 32, 32, 32,
     0.125},
    {"one address", [](int) { return 8; }, 4, 32, 1, 1, 1, 1, 0.125},
    {"contiguous doubles", [](int i) { return 8 * i; }, 8, 32, 8, 2, 4, 1, 1},
    {"contiguous float4", [](int i) { return 16 * i; }, 16, 32, 16, 4, 8, 1, 1},
    {"misaligned float4 on sector ends", [](int i) { return 32 * i + 24; }, 16, 32, 33, 9, 17, 1,
     512.0 / 1056},
    {"two rows of 16", [](int i) { return i / 16 * 4096 + i % 16 * 4; }, 4, 32, 4, 2, 2, 2, 1},
    {"8 active lanes", [](int i) { return i < 8 ? 4 * i : -1; }, 4, 8, 1, 1, 1, 1, 1},
    {"no active lane", [](int) { return -1; }, 4, 0, 0, 0, 0, 0, 0},
    {"bytes", [](int i) { return i; }, 1, 32, 1, 1, 1, 1, 1},
};

TEST(GlobalRequest, CountsSectorsLinesAndGranules) {
  for (const GlobalCase& each : kGlobal) {
    const GlobalRequest request = global_request(lanes(each.address), each.width, 64);
    EXPECT_EQ(request.active_lanes, each.lanes) << each.what;
    EXPECT_EQ(request.sectors, each.sectors) << each.what;
    EXPECT_EQ(request.lines, each.lines) << each.what;
    EXPECT_EQ(request.granules, each.granules) << each.what;
    EXPECT_EQ(request.runs, each.runs) << each.what;
    EXPECT_DOUBLE_EQ(request.efficiency, each.efficiency) << each.what;
  }
}

struct SharedCase {
  const char* what;
  std::function<std::int64_t(int)> address;
  int width;
  int wavefronts;
};

const SharedCase kShared[] = {
    {"contiguous floats", [](int i) { return 4 * i; }, 4, 1},
    {"one word", [](int) { return 64; }, 4, 1},
    {"column of a 32-wide tile", [](int i) { return 4 * 32 * i; }, 4, 32},
    {"column of a 33-wide tile", [](int i) { return 4 * 33 * i; }, 4, 1},
    {"stride of two words", [](int i) { return 8 * i; }, 4, 2},
    {"two words of one bank, each read by half the warp", [](int i) { return i / 16 * 128; }, 4, 2},
    {"contiguous doubles", [](int i) { return 8 * i; }, 8, 2},
    {"contiguous float4", [](int i) { return 16 * i; }, 16, 4},
    {"float4 every 32 bytes: 2-way in each quarter", [](int i) { return 32 * i; }, 16, 8},
    {"float4, two neighbours the same: quarters go in pairs", [](int i) { return i / 2 * 16; }, 16,
     2},
    {"float4, two next neighbours the same", [](int i) { return (i % 2 + i / 4 * 2) * 16; }, 16, 2},
    {"float4, the same four lanes apart: each quarter alone", [](int i) { return i % 4 * 16; }, 16,
     4},
    {"doubles, two neighbours the same: halves go together", [](int i) { return i / 2 * 8; }, 8, 1},
    {"doubles down a 32-wide tile of doubles", [](int i) { return 256 * i; }, 8, 32},
    {"bytes of one word", [](int i) { return i % 4; }, 1, 1},
    {"half the lanes of a column", [](int i) { return i < 16 ? 128 * i : -1; }, 4, 16},
    {"no active lane", [](int) { return -1; }, 4, 0},
};

TEST(SharedWavefronts, FollowBanksWidthsAndBroadcasts) {
  for (const SharedCase& each : kShared) {
    EXPECT_EQ(shared_wavefronts(lanes(each.address), each.width), each.wavefronts) << each.what;
  }
}

}  // namespace
}  // namespace tuner::models
