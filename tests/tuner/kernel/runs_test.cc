// What lies side by side in DRAM and a block asks for together.
#include <gtest/gtest.h>

#include <random>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

// Tiles of 64 x 64 floats with 64 threads, a row at a time: warps of 128 bytes, of which two make a
// row. Half of these ends count, for warps of many loads drift apart. Two floats a lane are whole
// rows, which is as long as DRAM asks for; 32 x 32 has rows of 128 bytes.
TEST(Runs, AreWhatABlockAsksForTogether) {
  const Kernel kernel = bind("kernels_src/transpose", {{"n", "4096"}});
  const auto runs = [&](std::int64_t tile, std::int64_t block, std::int64_t width) {
    const std::vector<std::pair<std::string, Value>> values = {
        {"tile", tile}, {"block", block}, {"width", width}};
    return kernel.shape(kernel.space().from_values(values)).launches[0].accesses[0];
  };
  EXPECT_EQ(runs(64, 64, 1).runs_per_request, 0.75);
  EXPECT_EQ(runs(64, 64, 2).runs_per_request, 1);
  EXPECT_EQ(runs(32, 256, 1).runs_per_request, 1);
  EXPECT_EQ(runs(32, 256, 4).runs_per_request, 4);
  EXPECT_EQ(kernel.shape(kernel.space().default_config()).launches[0].accesses[3].runs_per_request,
            0)
      << "a store";
}

// Whatever the block, a copy goes on where it ends: at its next item, or in the next block.
TEST(Runs, OfACopyHaveNoEnd) {
  const Kernel kernel = bind("kernels_src/copy", {{"n", "16777216"}});
  std::mt19937_64 random(3);
  for (const search::Config& config : kernel.space().sample(100, random)) {
    const models::KernelShape shape = kernel.shape(config);
    const models::MemoryAccess& in = shape.launches[0].accesses[0];
    const double bytes = in.granules_per_request * 64;
    EXPECT_TRUE(in.runs_per_request == 0 || bytes >= 256 * in.runs_per_request)
        << kernel.space().id(config);
  }
}

}  // namespace
}  // namespace tuner
