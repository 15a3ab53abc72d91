// Every kernel that ships binds at ordinary and awkward sizes; the sizes of their spaces are those
// that a separate enumeration of the same constraints (in Python) counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

struct Counted {
  std::string folder;
  Given given;
  std::uint64_t count;  // 0: any
};

class Spaces : public testing::TestWithParam<Counted> {};

TEST_P(Spaces, HoldsSoManyConfigurations) {
  const Kernel kernel = bind(GetParam().folder, GetParam().given);
  if (GetParam().count > 0) {
    EXPECT_EQ(kernel.space().count(), GetParam().count);
  }
  const auto start = kernel.space().nearest_valid_to_default();
  ASSERT_TRUE(start.has_value());
  const auto shape = kernel.shape(*start);
  ASSERT_FALSE(shape.launches.empty());
  for (const auto& launch : shape.launches) {
    EXPECT_GE(launch.blocks, 1);
    EXPECT_GE(launch.threads, 1);
    for (const auto& access : launch.accesses) {
      EXPECT_TRUE(std::isfinite(access.requests_per_warp)) << access.name;
      EXPECT_LE(access.active_lanes, 32) << access.name;
    }
  }
  EXPECT_FALSE(kernel.build(*start).entries.empty());
  EXPECT_FALSE(kernel.buffers().empty());
  EXPECT_GE(kernel.tolerance().relative, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, Spaces,
    testing::Values(Counted{"kernels_src/copy", {}, 4100},
                    Counted{"kernels_src/copy", {{"shape", "rows_cols"}, {"n", "4096"}}, 0},
                    Counted{"kernels_src/copy", {{"n", "1"}}, 0},
                    Counted{"kernels_src/copy", {{"n", "4097"}, {"dtype", "f64"}}, 0},
                    Counted{"kernels_src/matmul", {{"n", "4096"}}, 39314},
                    Counted{"kernels_src/matmul", {{"n", "1"}}, 0},
                    Counted{"kernels_src/matmul", {{"n", "1023"}, {"m", "77"}, {"k", "3"}}, 0},
                    Counted{"kernels_src/reduction", {}, 7344},
                    Counted{"kernels_src/reduction", {{"deterministic", "true"}}, 4896},
                    Counted{"kernels_src/reduction", {{"n", "1"}}, 0},
                    Counted{"kernels_src/reduction", {{"n", "1000003"}}, 0},
                    Counted{"kernels_src/gather", {}, 1185},
                    Counted{"kernels_src/gather", {{"mode", "indexed"}}, 180},
                    Counted{"kernels_src/gather", {{"n", "7"}}, 0},
                    Counted{"kernels_src/gather", {{"n", "1000"}, {"stride", "3000"}}, 0},
                    Counted{"kernels_src/fma_chain", {}, 120},
                    Counted{"kernels_src/fma_chain", {{"n", "1"}, {"operands", "two"}}, 120},
                    Counted{"kernels_src/transpose", {}, 756},
                    Counted{"kernels_src/transpose", {{"n", "1"}}, 0},
                    Counted{"kernels_src/transpose", {{"n", "1001"}, {"m", "77"}}, 0},
                    Counted{"examples/saxpy", {}, 24}, Counted{"examples/saxpy", {{"n", "1"}}, 24},
                    Counted{"examples/stencil", {}, 320},
                    Counted{"examples/stencil", {{"n", "4097"}}, 0}));

// By hand: a tile of A (64 x 8 floats) is 128 pieces of 16 bytes, for 256 threads: half of the
// warps load one in each of the 128 steps, and as many of B. `ncu` counts as many sectors on an
// H200.
TEST(Accesses, CountTheWarpsThatTakePart) {
  const Kernel kernel = bind("kernels_src/matmul", {{"n", "1024"}});
  const auto shape = kernel.shape(kernel.space().default_config());
  for (const auto& access : shape.launches.back().accesses) {
    if (access.shared || access.store || access.name.size() > 1) continue;
    EXPECT_EQ(access.requests_per_warp, 64) << access.name;
    EXPECT_EQ(access.sectors_per_request, 16) << access.name;
  }
}

}  // namespace
}  // namespace tuner
