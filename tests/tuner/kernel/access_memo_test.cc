// A memo, and the quick form of texts, change what shapes cost, not what they say.
#include "tuner/kernel/access_memo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/tuner/kernel/fixture.h"
#include "tuner/kernel/bound_kernel.h"
#include "tuner/kernel/launching.h"

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
  EXPECT_EQ(known.runs_per_request, fresh.runs_per_request) << fresh.name;
  EXPECT_EQ(known.efficiency, fresh.efficiency) << fresh.name;
  EXPECT_EQ(known.bank_wavefronts, fresh.bank_wavefronts) << fresh.name;
  EXPECT_EQ(known.reuse, fresh.reuse) << fresh.name;
}

void expect_same(const models::LaunchShape& known, const models::LaunchShape& fresh) {
  EXPECT_EQ(known.grid, fresh.grid);
  EXPECT_EQ(known.block, fresh.block);
  EXPECT_EQ(known.dynamic_shared, fresh.dynamic_shared);
  EXPECT_EQ(known.min_registers, fresh.min_registers);
  EXPECT_EQ(known.fma_per_thread, fresh.fma_per_thread);
  EXPECT_EQ(known.instructions_per_thread, fresh.instructions_per_thread);
  EXPECT_EQ(known.loads_in_flight, fresh.loads_in_flight);
  EXPECT_EQ(known.barriers_per_block, fresh.barriers_per_block);
  EXPECT_EQ(known.exchanges, fresh.exchanges);
  EXPECT_EQ(known.atomics, fresh.atomics);
  ASSERT_EQ(known.accesses.size(), fresh.accesses.size());
  for (std::size_t i = 0; i < fresh.accesses.size(); ++i)
    expect_same(known.accesses[i], fresh.accesses[i]);
}

TEST_P(Memo, ChangesNoShape) {
  const Kernel kernel = bind(GetParam().folder, GetParam().given);
  AccessMemo memo;
  std::mt19937_64 random(1);
  for (const search::Config& config : kernel.space().sample(300, random)) {
    const models::KernelShape known = kernel.shape(config, {}, &memo);
    const models::KernelShape fresh = kernel.shape(config);
    ASSERT_EQ(known.launches.size(), fresh.launches.size());
    for (std::size_t i = 0; i < fresh.launches.size(); ++i)
      expect_same(known.launches[i], fresh.launches[i]);
    ASSERT_FALSE(HasFailure()) << kernel.space().id(config);
  }
}

TEST_P(Memo, QuickFormsChangeNoShape) {
  const Kernel kernel = bind(GetParam().folder, GetParam().given);
  const BoundKernel bound(kernel.description(), kernel.problem(), kernel.device());
  AccessMemo memo;
  std::mt19937_64 random(2);
  for (const search::Config& config : kernel.space().sample(100, random)) {
    const std::vector<expr::Cell> cells = bound.space->cells(config);
    std::vector<expr::Cell> extended = cells;
    ASSERT_TRUE(bound.names.extend(extended));
    ASSERT_TRUE(bound.names.extended(extended));
    for (const BoundStep& step : bound.steps) {
      if (step.when.boolean(cells, true) && !step.spec->memset)
        expect_same(model_shape(bound, step, extended, {}, &memo),
                    model_shape(bound, step, cells, {}, nullptr));
    }
    ASSERT_FALSE(HasFailure()) << kernel.space().id(config);
  }
}

// A definition is only evaluated where a text comes to it.
TEST(QuickForms, ADefinitionThatFailsIsLeftToThoseWhoNeedIt) {
  const TemporaryKernel folder(R"({"schema": "tuner.kernel", "version": 1, "name": "k",
 "source": "k.cu",
 "problem": [{"name": "n", "kind": "size", "default": 8}],
 "parameters": [{"name": "parts", "values": [0, 2]}],
 "definitions": [{"name": "share", "value": "n / parts"}],
 "arguments": [{"name": "y", "kind": "buffer", "element": "f32", "count": "n", "access": "out"}],
 "launches": [{"entry": "k", "grid": [1], "block": [32], "arguments": ["y"],
   "model": {"accesses": [], "fma": "parts == 0 ? 7 : share"}}],
 "verify": {"checks": [{"output": "y", "expected": "0.0"}]}})");
  const Kernel kernel = bind(folder.folder());
  const auto fma_of = [&](std::int64_t parts) {
    const std::vector<std::pair<std::string, Value>> values = {{"parts", parts}};
    return kernel.shape(kernel.space().from_values(values)).launches.front().fma_per_thread;
  };
  EXPECT_EQ(fma_of(0), 7);
  EXPECT_EQ(fma_of(2), 4);
}

// What hangs on blocks a SM has its value, in whatever text of a model it stands.
class Occupied : public testing::TestWithParam<std::string> {};
TEST_P(Occupied, KnowsTheBlocksOfASm) {
  std::string text = R"({"schema": "tuner.kernel", "version": 1, "name": "k",
 "source": "k.cu",
 "problem": [{"name": "n", "kind": "size", "default": 8}],
 "parameters": [{"name": "block", "values": [256]}],
 "arguments": [{"name": "y", "kind": "buffer", "element": "f32", "count": "n", "access": "out"}],
 "launches": [{"entry": "k", "grid": [8], "block": ["block"], "arguments": ["y"],
   "model": {"accesses": [], "COUNT": "2 * blocks_per_sm"}}],
 "verify": {"checks": [{"output": "y", "expected": "0.0"}]}})";
  text.replace(text.find("COUNT"), 5, GetParam());
  const TemporaryKernel folder(text);
  const Kernel kernel = bind(folder.folder());
  const models::LaunchShape shape = kernel.shape(kernel.space().default_config()).launches.front();
  const std::array counts = {
      shape.fma_per_thread,          shape.fma_registers, shape.fma_fresh,
      shape.instructions_per_thread, shape.ilp,           shape.loads_in_flight,
      shape.barriers_per_block,      shape.exchanges,     shape.atomics};
  EXPECT_EQ(std::ranges::count(counts, 16), 1);  // 8 blocks of 256 threads
}

INSTANTIATE_TEST_SUITE_P(Counts, Occupied,
                         testing::Values("fma", "fma_registers", "fma_fresh", "instructions", "ilp",
                                         "loads_in_flight", "barriers", "exchanges", "atomics"));

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
  constexpr std::size_t kAccess = 3;
  EXPECT_EQ(memo.find(kAccess, {1, 2}), nullptr);
  memo.keep({1, 2}, {.weight = 3});
  for (int again = 0; again < 2; ++again) {
    ASSERT_NE(memo.find(kAccess, {1, 2}), nullptr);
    EXPECT_EQ(memo.find(kAccess, {1, 2})->weight, 3);
    EXPECT_EQ(memo.find(kAccess, {2, 1}), nullptr);
  }
}

}  // namespace
}  // namespace tuner
