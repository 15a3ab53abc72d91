// A memo changes what shapes cost, not what they say.
#include "tuner/kernel/access_memo.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

struct Bound {
  std::string folder;
  Given given;
};

class Memo : public testing::TestWithParam<Bound> {};

void expect_same(const models::MemoryAccess& known, const models::MemoryAccess& fresh) {
  EXPECT_EQ(known.requests_per_warp, fresh.requests_per_warp) << fresh.name;
  EXPECT_EQ(known.active_lanes, fresh.active_lanes) << fresh.name;
  EXPECT_EQ(known.sectors_per_request, fresh.sectors_per_request) << fresh.name;
  EXPECT_EQ(known.granules_per_request, fresh.granules_per_request) << fresh.name;
  EXPECT_EQ(known.efficiency, fresh.efficiency) << fresh.name;
  EXPECT_EQ(known.bank_wavefronts, fresh.bank_wavefronts) << fresh.name;
  EXPECT_EQ(known.reuse, fresh.reuse) << fresh.name;
}

TEST_P(Memo, ChangesNoShape) {
  const Kernel kernel = bind(GetParam().folder, GetParam().given);
  AccessMemo memo;
  std::mt19937_64 random(1);
  for (const search::Config& config : kernel.space().sample(300, random)) {
    const models::KernelShape known = kernel.shape(config, {}, &memo);
    const models::KernelShape fresh = kernel.shape(config);
    ASSERT_EQ(known.launches.size(), fresh.launches.size());
    for (std::size_t i = 0; i < fresh.launches.size(); ++i) {
      const auto& accesses = fresh.launches[i].accesses;
      ASSERT_EQ(known.launches[i].accesses.size(), accesses.size());
      for (std::size_t j = 0; j < accesses.size(); ++j)
        expect_same(known.launches[i].accesses[j], accesses[j]);
    }
    ASSERT_FALSE(HasFailure()) << kernel.space().id(config);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, Memo,
    testing::Values(Bound{"kernels_src/copy", {}},
                    Bound{"kernels_src/copy", {{"shape", "rows_cols"}, {"n", "1001"}}},
                    Bound{"kernels_src/gather", {{"n", "100003"}, {"stride", "7"}}},
                    Bound{"kernels_src/matmul", {{"n", "1000"}, {"k", "33"}}},
                    Bound{"kernels_src/matmul", {{"n", "512"}, {"layout_b", "column"}}},
                    Bound{"kernels_src/reduction", {{"n", "1000003"}}},
                    Bound{"kernels_src/transpose", {{"n", "1000"}}},
                    Bound{"examples/stencil", {}}));

TEST(AccessMemo, KeepsWhatItIsGiven) {
  AccessMemo memo;
  EXPECT_EQ(memo.find({1, 2}), nullptr);
  memo.keep({1, 2}, {.weight = 3});
  ASSERT_NE(memo.find({1, 2}), nullptr);
  EXPECT_EQ(memo.find({1, 2})->weight, 3);
  EXPECT_EQ(memo.find({2, 1}), nullptr);
}

}  // namespace
}  // namespace tuner
