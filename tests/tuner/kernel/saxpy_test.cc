// The default configuration of saxpy (256 threads, one element each), by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

using testing::ElementsAre;

TEST(Saxpy, Build) {
  const Kernel kernel = bind("examples/saxpy", {{"n", "1000000"}});
  const BuildPlan plan = kernel.build(kernel.space().default_config());
  EXPECT_THAT(plan.options, ElementsAre("-DBLOCK=256", "-DITEMS=1"));
  EXPECT_THAT(plan.entries, ElementsAre("saxpy"));
  EXPECT_EQ(plan.source.filename(), "saxpy.cu");
  EXPECT_TRUE(kernel.reference_build().entries.empty());
}

TEST(Saxpy, Launch) {
  const Kernel kernel = bind("examples/saxpy", {{"n", "1000000"}, {"a", "0.1"}});
  const std::vector<CompiledEntry> compiled = {{"saxpy", "_saxpy", 16, 0, 0}};
  const LaunchPlan plan = kernel.launch(kernel.space().default_config(), compiled, {});
  ASSERT_EQ(plan.steps.size(), 1U);
  const LaunchStep& step = plan.steps[0];
  EXPECT_EQ(step.lowered_name, "_saxpy");
  EXPECT_THAT(step.grid, ElementsAre(3907, 1, 1));  // 1e6 / 256 = 3906.25
  EXPECT_THAT(step.block, ElementsAre(256, 1, 1));
  ASSERT_EQ(step.arguments.size(), 4U);
  EXPECT_EQ(step.arguments[0].type, "f32");
  EXPECT_EQ(std::get<double>(step.arguments[0].value), static_cast<double>(0.1F));
  EXPECT_EQ(step.arguments[1].kind, LaunchArgument::Kind::buffer);
  EXPECT_EQ(step.arguments[1].name, "x");
  EXPECT_EQ(std::get<std::int64_t>(step.arguments[3].value), 1000000);
}

TEST(Saxpy, Buffers) {
  const auto buffers = bind("examples/saxpy", {{"n", "1000"}}).buffers();
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].count, 1000);
  EXPECT_FALSE(buffers[0].output);
  EXPECT_TRUE(buffers[1].input);
  EXPECT_TRUE(buffers[1].output);
  EXPECT_EQ(buffers[1].init.kind, "normal");
  EXPECT_NE(buffers[0].init.seed, buffers[1].init.seed);
}

TEST(Saxpy, Accesses) {
  const Kernel kernel = bind("examples/saxpy", {{"n", "1048576"}});
  const auto shape = kernel.shape(kernel.space().default_config());
  ASSERT_EQ(shape.launches.size(), 1U);
  ASSERT_EQ(shape.launches[0].accesses.size(), 3U);
  for (const auto& access : shape.launches[0].accesses) {
    EXPECT_EQ(access.requests_per_warp, 1) << access.name;
    EXPECT_EQ(access.active_lanes, 32) << access.name;
    EXPECT_EQ(access.sectors_per_request, 4) << access.name;  // 32 lanes of 4 bytes, aligned
    EXPECT_EQ(access.lines_per_request, 1) << access.name;
    EXPECT_EQ(access.efficiency, 1) << access.name;
    EXPECT_EQ(access.buffer_bytes, 4194304) << access.name;
  }
  EXPECT_TRUE(shape.launches[0].accesses[2].store);
  EXPECT_EQ(shape.useful_bytes, 12582912);
}

TEST(Saxpy, Tolerance) {
  const Tolerance tolerance = bind("examples/saxpy", {{"a", "-3"}}).tolerance();
  EXPECT_DOUBLE_EQ(tolerance.absolute, 4e-6);
  EXPECT_EQ(tolerance.frobenius, 0);
}

// n = 2^20, stride 8: lane i reads element 8 i, 32 bytes apart: a sector for each lane.
TEST(Gather, StridedReadsASectorALane) {
  const Kernel kernel = bind("kernels_src/gather", {{"n", "2^20"}, {"stride", "8"}});
  const auto shape = kernel.shape(kernel.space().default_config());
  EXPECT_EQ(shape.launches.at(0).accesses.at(0).sectors_per_request, 32);
  EXPECT_EQ(shape.launches.at(0).accesses.at(0).efficiency, 0.125);
}

TEST(Reference, WritesItsOwnOutput) {
  const Kernel kernel = bind("kernels_src/matmul", {{"n", "64"}});
  const BuildPlan build = kernel.reference_build();
  EXPECT_THAT(build.entries, ElementsAre("matmul_reference<float, true, true>"));
  const std::vector<CompiledEntry> compiled = {{build.entries.at(0), "_ref", 16, 0, 0}};
  const auto steps = kernel.reference_launch(compiled);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_THAT(steps[0].grid, ElementsAre(16, 1, 1));
  EXPECT_EQ(steps[0].arguments.at(0).kind, LaunchArgument::Kind::buffer);
  EXPECT_EQ(steps[0].arguments.at(3).kind, LaunchArgument::Kind::reference_output);
}

}  // namespace
}  // namespace tuner
