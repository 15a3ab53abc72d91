// How well what is derived orders configurations, against the models that people wrote for the same
// kernels and against what is measured of them (docs/model.md).
#include <gtest/gtest.h>

#include <random>

#include "models/pipes.h"
#include "models/rank_quality.h"
#include "tests/tuner/select/derived_fixture.h"
#include "tuner/store/recording.h"

namespace tuner {
namespace {

using models::estimate;

struct RankCase {
  const char* folder;
  const char* n;
  double least;  // Spearman's correlation with the written model
};

void PrintTo(const RankCase& one, std::ostream* out) { *out << one.folder; }

class DerivedRanking : public DerivedTest, public testing::WithParamInterface<RankCase> {};

TEST_P(DerivedRanking, IsNearerToTheWrittenModelThanOccupancyAndWork) {
  const Given given = {{"n", GetParam().n}};
  const Kernel written = make_kernel(GetParam().folder, given, false);
  const Kernel bare = make_kernel(GetParam().folder, given, true);
  std::mt19937_64 random(1);
  std::vector<double> by_model;
  std::vector<double> by_work;
  std::vector<double> derived;
  for (const search::Config& config : bare.space().sample(24, random)) {
    const models::KernelShape shape = compiled_shape(bare, config);
    derived.push_back(estimate(bare.device(), shape).time_ns);
    by_work.push_back(estimate(bare.device(), without_derived(shape)).time_ns);
    by_model.push_back(
        estimate(written.device(), written.shape(config, facts_of(shape, bare, config))).time_ns);
  }
  const double of_derived = models::spearman(derived, by_model);
  EXPECT_GE(of_derived, GetParam().least);
  EXPECT_GT(of_derived, models::spearman(by_work, by_model) + 0.05);
}

INSTANTIATE_TEST_SUITE_P(Kernels, DerivedRanking,
                         testing::Values(RankCase{"kernels_src/copy", "2^26", 0.85},
                                         RankCase{"kernels_src/transpose", "8192", 0.9},
                                         RankCase{"kernels_src/reduction", "2^26", 0.9}));

class DerivedFacts : public DerivedTest {};

Value whole(std::int64_t value) { return value; }

// An H200 copies 2^28 floats at 2590 GB/s a float at a time and at 4245 by 16 bytes.
TEST_F(DerivedFacts, WideCopiesAreFaster) {
  const Kernel copy = make_kernel("kernels_src/copy", {{"n", "2^28"}}, true);
  const double narrow = derived_ns(copy, {{"width", whole(1)}});
  const double wide = derived_ns(copy, {{"width", whole(4)}});
  EXPECT_NEAR(narrow / wide, 4245.0 / 2590, 0.35);
  EXPECT_LT(derived_ns(copy, {{"items", whole(8)}}), 0.8 * narrow);
}

// Every fifth of the configurations that were measured (docs/results.md has all of them).
TEST_F(DerivedFacts, OrdersTheMeasuredStencil) {
  const Recording recording = load_recording(std::filesystem::path(TUNER_SOURCE) /
                                             "tests/data/recordings/eval-stencil-h200.json.gz");
  const Kernel stencil = make_kernel("examples/stencil", {}, true);
  std::vector<double> derived, measured;
  for (std::size_t i = 0; i < recording.trials.size(); i += 5) {
    const RecordedTrial& trial = recording.trials[i];
    Values values;
    for (std::size_t p = 0; p < recording.parameters.size(); ++p)
      values.emplace_back(recording.parameters[p].name, trial.values[p]);
    derived.push_back(derived_ns(stencil, values));
    measured.push_back(trial.time_ns);
  }
  EXPECT_GE(models::spearman(derived, measured), 0.88);
}

// Along rows and down columns, 16384 x 16384: 0.87 and 3.87 ms.
TEST_F(DerivedFacts, ColumnsAreSlowerThanRows) {
  const Kernel copy =
      make_kernel("kernels_src/copy", {{"shape", "rows_cols"}, {"n", "16384"}}, true);
  EXPECT_GT(derived_ns(copy, {{"walk", Value(std::string("rows"))}}),
            2 * derived_ns(copy, {{"walk", Value(std::string("columns"))}}));
}

// Each step of the classic ladder loads less for an FMA than the one before.
TEST_F(DerivedFacts, MatmulsGetFasterWithFewerLoadsForEachFma) {
  const Kernel matmul = make_kernel("kernels_src/matmul", {{"n", "2048"}}, true);
  const double naive = derived_ns(matmul, {{"algorithm", Value(std::string("naive"))}});
  const double tile = derived_ns(matmul, {{"algorithm", Value(std::string("tile"))}});
  const double small = derived_ns(matmul, {});  // 4 x 4 sums a thread
  const double large = derived_ns(matmul, {{"BM", whole(128)},
                                           {"BN", whole(128)},
                                           {"TM", whole(8)},
                                           {"TN", whole(8)},
                                           {"vector", whole(4)}});
  EXPECT_GT(naive, tile);
  EXPECT_GT(tile, small);
  EXPECT_GT(small, large);
}

// Neighbours ask for the same points: from DRAM they come once, whatever a block's form. Five loads
// of a point have different fates.
TEST_F(DerivedFacts, StencilReadsItsPointsFromDramOnce) {
  const Kernel stencil = make_kernel("examples/stencil", {}, false);
  for (const auto& [block_y, points] : {std::pair(1, 1), std::pair(4, 1), std::pair(8, 2)}) {
    const models::LaunchShape launch =
        compiled_shape(stencil, config_with(stencil, {{"block_x", whole(32)},
                                                      {"block_y", whole(block_y)},
                                                      {"points", whole(points)}}))
            .launches.at(0);
    const double warps_per_block = launch.threads / 32.0;
    const models::DramBytes moved =
        models::dram_bytes({.device = stencil.device(),
                            .shape = launch,
                            .warps_per_block = warps_per_block,
                            .warps = warps_per_block * static_cast<double>(launch.blocks)});
    EXPECT_NEAR(moved.read, 8192.0 * 8192 * 4, 0.01 * 8192 * 8192 * 4) << block_y << ' ' << points;
    int loads = 0;
    for (const models::MemoryAccess& access : launch.accesses)
      loads += access.store ? 0 : access.instructions;
    EXPECT_EQ(loads, points == 1 ? 5 : 8) << block_y << ' ' << points;
  }
}

// The column that a thread walks down stays in its registers: fewer loads a point.
TEST_F(DerivedFacts, StencilWithMorePointsAThreadLoadsLess) {
  const Kernel stencil = make_kernel("examples/stencil", {}, false);
  const auto loads = [&](std::int64_t points) {
    const models::KernelShape shape =
        compiled_shape(stencil, config_with(stencil, {{"points", whole(points)}}));
    double bytes = 0;
    for (const models::MemoryAccess& access : shape.launches.at(0).accesses) {
      if (!access.store) bytes += access.requests_per_warp * access.width_bytes;
    }
    return bytes / static_cast<double>(points);
  };
  EXPECT_LT(loads(4), 0.8 * loads(1));
}

}  // namespace
}  // namespace tuner
