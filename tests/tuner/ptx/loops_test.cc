#include "tuner/ptx/loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/ptx/kernel_text.h"
#include "tuner/ptx/dependences.h"

namespace tuner::ptx {
namespace {

using testing::ElementsAre;

Function parse(const std::string& body) { return parse_entry(module(kernel("k", body)), "k"); }

TEST(Loops, StraightLineHasNone) {
  const ControlFlow flow = control_flow(parse("add.s32 %r1, %r2, 1;\nret;"));
  EXPECT_EQ(flow.blocks.size(), 1U);
  EXPECT_TRUE(flow.loops.empty());
}

TEST(Loops, BranchForwardIsNone) {
  const ControlFlow flow = control_flow(parse("@%p1 bra $end;\nbar.sync 0;\n$end: ret;"));
  ASSERT_EQ(flow.blocks.size(), 3U);
  EXPECT_THAT(flow.blocks[0].next, ElementsAre(2, 1));
  EXPECT_TRUE(flow.loops.empty());
}

TEST(Loops, NestOneInTheOther) {
  const ControlFlow flow = control_flow(parse(R"(
    mov.u32 %r1, 0;
    $outer: mov.u32 %r2, 0;
    $inner: add.s32 %r2, %r2, 1;
    @%p1 bra $inner;
    add.s32 %r1, %r1, 1;
    @%p2 bra $outer;
    ret;)"));
  ASSERT_EQ(flow.loops.size(), 2U);
  EXPECT_EQ(flow.loops[0].depth, 1);
  EXPECT_EQ(flow.loops[1].depth, 2);
  EXPECT_EQ(flow.loops[1].parent, 0);
  EXPECT_THAT(flow.loops[0].blocks, ElementsAre(1, 2, 3));
  EXPECT_THAT(flow.loops[1].blocks, ElementsAre(2));
  EXPECT_EQ(flow.blocks[2].loop, 1);
  EXPECT_EQ(flow.blocks[3].loop, 0);
  EXPECT_TRUE(flow.in_loop(2, 0));
  EXPECT_FALSE(flow.in_loop(3, 1));
}

// Two branches back to one header are one loop.
TEST(Loops, MayEndTheirIterationsInSeveralPlaces) {
  const ControlFlow flow = control_flow(parse(R"(
    $top: @%p1 bra $top;
    bar.sync 0;
    @%p2 bra $top;
    ret;)"));
  ASSERT_EQ(flow.loops.size(), 1U);
  EXPECT_THAT(flow.loops[0].blocks, ElementsAre(0, 1));
}

TEST(Loops, EnteredInTwoPlacesAreSaidToBe) {
  const ControlFlow flow = control_flow(parse(R"(
    @%p1 bra $second;
    $first: bar.sync 0;
    $second: bar.sync 1;
    @%p2 bra $first;
    ret;)"));
  EXPECT_TRUE(flow.irreducible);
  EXPECT_TRUE(flow.loops.empty());
}

TEST(Loops, NothingAtAll) { EXPECT_TRUE(control_flow(Function{}).blocks.empty()); }

FmaChain chain_of(const std::string& body) {
  const Function function = parse(body);
  return fma_chain(function, control_flow(function).blocks.at(0));
}

TEST(FmaChain, FollowsRegisters) {
  // Two chains of two, and a product that waits for neither.
  const FmaChain chain = chain_of(R"(
    fma.rn.f32 %f1, %f9, %f8, %f1;
    fma.rn.f32 %f2, %f9, %f8, %f2;
    fma.rn.f32 %f1, %f9, %f8, %f1;
    mov.f32 %f3, %f2;
    add.f32 %f4, %f3, %f9;
    mul.f32 %f5, %f9, %f8;
    ret;)");
  EXPECT_EQ(chain.operations, 5);
  EXPECT_EQ(chain.longest, 2);
}

LoadRuns runs_of(const std::string& body) {
  const Function function = parse(body);
  return load_runs(function, control_flow(function).blocks);
}

TEST(LoadRuns, IndependentLoadsAreOne) {
  const LoadRuns runs = runs_of(R"(
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    ld.global.f32 %f5, [%rd1+16];
    ld.shared.f32 %f6, [%r1];
    ret;)");
  EXPECT_EQ(runs.loads, 2);
  EXPECT_EQ(runs.runs, 1);
  EXPECT_EQ(runs.bytes, 20);
}

TEST(LoadRuns, EndAtBarriersAndAddressesThatAreLoaded) {
  const LoadRuns runs = runs_of(R"(
    ld.global.u64 %rd2, [%rd1];
    add.s64 %rd3, %rd2, 8;
    ld.global.f32 %f1, [%rd3];
    bar.sync 0;
    ld.global.f32 %f2, [%rd1+16];
    ret;)");
  EXPECT_EQ(runs.loads, 3);
  EXPECT_EQ(runs.runs, 3);
}

TEST(LoadRuns, GoOnBehindABranchUnlessTheirLoadsWereWaitedFor) {
  EXPECT_EQ(runs_of("ld.global.f32 %f1, [%rd1];\n@%p1 bra $L;\nld.global.f32 %f2, [%rd1+4];\n"
                    "$L: ld.global.f32 %f3, [%rd1+8];\nadd.f32 %f4, %f1, %f3;\nret;")
                .runs,
            1);
  EXPECT_EQ(runs_of("ld.global.f32 %f1, [%rd1];\nadd.f32 %f4, %f1, %f1;\n@%p1 bra $L;\n"
                    "ld.global.f32 %f2, [%rd1+4];\n$L: ret;")
                .runs,
            2);
}

TEST(LoadRuns, StoresStopAllButReadOnlyLoads) {
  EXPECT_EQ(runs_of("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\n"
                    "ld.global.f32 %f2, [%rd1+4];\nret;")
                .runs,
            2);
  EXPECT_EQ(runs_of("ld.global.nc.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\n"
                    "ld.global.nc.f32 %f2, [%rd1+4];\nret;")
                .runs,
            1);
}

}  // namespace
}  // namespace tuner::ptx
