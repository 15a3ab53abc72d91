// Kernels of a few instructions whose accesses and counts are plain to see.
#include "tuner/kernel/derived_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kBufferBytes = 1 << 20;

// 8 blocks of 64 threads; x and y are buffers of 1 MiB, n is 1000. %rd1 and %rd2 begin as x and y,
// %r1 as threadIdx.x.
models::LaunchShape derive(const std::string& body, double flops = 0, double bytes = 0) {
  const std::string ptx =
      ".visible .entry k(.param .u64 x, .param .u64 y, .param .u64 n)\n{\n"
      "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nmov.u32 %r1, %tid.x;\n" +
      body + "\nret;\n}\n";
  const models::DeviceProfile device = h200();
  const DeriveInput input{.device = device,
                          .ptx = ptx,
                          .entry = "k",
                          .arguments = {{"x", true, kBufferBytes, std::nullopt},
                                        {"y", true, kBufferBytes, std::nullopt},
                                        {"n", false, 0, 1000}},
                          .useful_flops = flops,
                          .useful_bytes = bytes};
  models::LaunchShape launch;
  launch.blocks = 8;
  launch.threads = 64;
  launch.grid = {8, 1, 1};
  launch.block = {64, 1, 1};
  derive_model(input, launch);
  return launch;
}

TEST(DerivedModel, NeighboursAndStrides) {
  const auto launch = derive(
      "mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd3, %rd1, %rd3;\nld.global.v2.f32 {%f1, %f2}, "
      "[%rd3];\n"
      "mul.wide.u32 %rd4, %r1, 128;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.f32 [%rd4], %f1;");
  ASSERT_EQ(launch.accesses.size(), 2U);
  EXPECT_EQ(launch.accesses[0].name, "x");
  EXPECT_EQ(launch.accesses[0].width_bytes, 8);
  EXPECT_EQ(launch.accesses[0].sectors_per_request, 8);
  EXPECT_EQ(launch.accesses[0].efficiency, 1);
  EXPECT_EQ(launch.accesses[1].name, "y");
  EXPECT_TRUE(launch.accesses[1].store);
  EXPECT_EQ(launch.accesses[1].sectors_per_request, 32);
  EXPECT_EQ(launch.accesses[1].efficiency, 0.125);
  EXPECT_THAT(launch.derived->unknown, IsEmpty());
}

TEST(DerivedModel, BankConflictsOfNamedTiles) {
  const auto launch = derive(
      ".shared .align 4 .b8 tile[8192];\nmov.u32 %r2, tile;\nmad.lo.s32 %r3, %r1, 8, %r2;\n"
      "ld.shared.f32 %f1, [%r3];\nbar.sync 0;");
  ASSERT_EQ(launch.accesses.size(), 1U);
  EXPECT_EQ(launch.accesses[0].name, "tile");
  EXPECT_EQ(launch.accesses[0].bank_wavefronts, 2);  // every other bank
  EXPECT_EQ(launch.barriers_per_block, 1);
}

// Half of the lanes are kept out.
TEST(DerivedModel, GuardsAreFollowed) {
  const auto launch = derive(
      "and.b32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 1;\nmul.wide.u32 %rd3, %r1, 4;\n"
      "add.s64 %rd3, %rd1, %rd3;\n@%p1 ld.global.f32 %f1, [%rd3];");
  ASSERT_EQ(launch.accesses.size(), 1U);
  EXPECT_EQ(launch.accesses[0].active_lanes, 16);
  EXPECT_EQ(launch.accesses[0].efficiency, 0.5);
}

// Each lane walks through a sector of its own: one of eight loads brings it, the others find it.
TEST(DerivedModel, WhatAWarpReadsAgainIsReused) {
  const auto launch = derive(
      "mul.wide.u32 %rd3, %r1, 64;\nadd.s64 %rd3, %rd1, %rd3;\nmov.u32 %r2, 0;\n"
      "$loop: ld.global.f32 %f1, [%rd3];\nadd.s64 %rd3, %rd3, 4;\nadd.s32 %r2, %r2, 1;\n"
      "setp.lt.s32 %p1, %r2, 16;\n@%p1 bra $loop;");
  ASSERT_EQ(launch.accesses.size(), 1U);
  EXPECT_EQ(launch.accesses[0].requests_per_warp, 16);
  EXPECT_EQ(launch.accesses[0].sectors_per_request, 32);
  EXPECT_EQ(launch.accesses[0].l1_reuse, 16);  // of pieces of 64 bytes, as DRAM moves them
  ASSERT_EQ(launch.derived->loops.size(), 1U);
  EXPECT_EQ(launch.derived->loops[0].iterations, 16);
  EXPECT_EQ(launch.derived->loops[0].global_load_bytes, 4);
}

constexpr const char* kUnknownLoop =
    "$loop: ld.global.u32 %r2, [%rd1];\nfma.rn.f32 %f1, %f2, %f3, %f1;\n"
    "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra $loop;";

TEST(DerivedModel, UnknownLoopRunsForTheFlopsDeclared) {
  const auto launch = derive(kUnknownLoop, 512 * 2 * 100.0);  // 512 threads
  EXPECT_EQ(launch.fma_per_thread, 100);
  EXPECT_FALSE(launch.derived->loops.at(0).iterations_known);
  EXPECT_THAT(launch.derived->assumed, Contains(HasSubstr("useful FLOPs")));
}

TEST(DerivedModel, ElseForTheBytesElseForTheBuffers) {
  EXPECT_EQ(derive(kUnknownLoop, 0, 512 * 4 * 50.0).fma_per_thread, 50);
  EXPECT_EQ(derive(kUnknownLoop).fma_per_thread, 2 * kBufferBytes / (512 * 4));
  const auto idle = derive(
      "$loop: shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
      "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra $loop;");
  EXPECT_THAT(idle.derived->unknown, Contains(HasSubstr("they count once")));
}

TEST(DerivedModel, ChainsAndRegisters) {
  const auto launch = derive(
      "fma.rn.f32 %f1, %f9, %f8, %f1;\nfma.rn.f32 %f2, %f9, %f8, %f2;\n"
      "fma.rn.f32 %f1, %f9, %f8, %f1;\nfma.rn.f32 %f2, %f9, %f8, %f2;");
  EXPECT_EQ(launch.fma_per_thread, 4);
  EXPECT_EQ(launch.ilp, 2);
  EXPECT_EQ(launch.fma_registers, 3);
  EXPECT_FALSE(launch.fp64);
  EXPECT_TRUE(derive("add.f64 %fd1, %fd2, %fd3;").fp64);
}

TEST(DerivedModel, AsynchronousCopiesTouchBothMemories) {
  const auto launch = derive(
      ".shared .align 16 .b8 tile[4096];\nmov.u32 %r2, tile;\nmad.lo.s32 %r3, %r1, 16, %r2;\n"
      "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd3, %rd1, %rd3;\nmov.u32 %r4, 0;\n"
      "$loop: cp.async.cg.shared.global [%r3], [%rd3], 16;\ncp.async.commit_group;\n"
      "cp.async.wait_group 2;\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, 10;\n@%p1 bra $loop;");
  ASSERT_EQ(launch.accesses.size(), 2U);
  EXPECT_FALSE(launch.accesses[0].shared);
  EXPECT_FALSE(launch.accesses[0].store);
  EXPECT_TRUE(launch.accesses[1].shared);
  EXPECT_TRUE(launch.accesses[1].store);
  for (const models::MemoryAccess& access : launch.accesses) {
    EXPECT_EQ(access.width_bytes, 16);
    EXPECT_EQ(access.requests_per_warp, 10);
  }
  EXPECT_EQ(launch.loads_in_flight, 3);  // two groups go on while one is waited for
}

TEST(DerivedModel, BulkCopiesCountByTheirSize) {
  const auto launch = derive(
      ".shared .align 16 .b8 tile[4096];\nmov.u32 %r2, tile;\nsetp.ne.s32 %p1, %r1, 0;\n"
      "@%p1 bra $end;\nmov.u32 %r3, 4096;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r3, "
      "[%r2];\n"
      "$end:");
  double bytes = 0;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (!access.shared) bytes += access.requests_per_warp * access.width_bytes * 32;
  }
  EXPECT_EQ(bytes * 2, 4096);  // by one of the block's two warps
}

TEST(DerivedModel, WhatIsNotKnownIsSaid) {
  EXPECT_THAT(derive("call.uni helper, (p0);").derived->unknown,
              Contains(HasSubstr("not inlined")));
  EXPECT_THAT(derive("red.global.add.f32 [%rd1], %f1;").derived->unknown,
              Contains(HasSubstr("1 atomic operations")));
  EXPECT_THAT(derive("mov.u64 %rd3, depot;\nst.local.f32 [%rd3], %f1;").derived->unknown,
              Contains(HasSubstr("local memory")));
  const auto gather = derive("ld.global.u64 %rd3, [%rd1];\nld.global.f32 %f1, [%rd3];");
  EXPECT_THAT(gather.derived->assumed, Contains(HasSubstr("neighbouring lanes")));
  EXPECT_EQ(gather.loads_in_flight, 1);
}

// After so long a loop, only one lane's address is known.
TEST(DerivedModel, WhatComesAfterAllButOneLaneWereLeftIsAssumed) {
  const auto launch = derive(
      "mov.u32 %r2, 0;\n$loop: add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 200000;\n"
      "@%p1 bra $loop;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n"
      "st.global.f32 [%rd3], %f1;");
  ASSERT_EQ(launch.accesses.size(), 1U);
  EXPECT_EQ(launch.accesses[0].active_lanes, 32);
  EXPECT_EQ(launch.accesses[0].sectors_per_request, 4);
  EXPECT_THAT(launch.derived->assumed, Contains(HasSubstr("neighbouring lanes")));
}

TEST(DerivedModel, TextThatCannotBeReadSaysWhy) {
  const auto launch = derive("bra $nowhere;");
  ASSERT_TRUE(launch.derived);
  EXPECT_THAT(launch.derived->unknown, ElementsAre(HasSubstr("no label '$nowhere'")));
  EXPECT_TRUE(launch.accesses.empty());
}

}  // namespace
}  // namespace tuner
