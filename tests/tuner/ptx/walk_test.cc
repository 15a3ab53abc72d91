#include "tuner/ptx/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/tuner/ptx/kernel_text.h"
#include "tuner/ptx/dependences.h"

namespace tuner::ptx {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kX = std::int64_t{1} << 40;

// Thread 37 of block 2 of 4 blocks of 64 threads, with x at kX and n = 1000.
Walk walk(const std::string& body, const WalkLimits& limits = {}) {
  const Function function = parse_entry(module(kernel("k", body)), "k");
  const ControlFlow flow = control_flow(function);
  const Launch launch{{4, 1, 1}, {64, 1, 1}, {kX, 1000}};
  return Walker(function, flow).walk(launch, {{2, 0, 0}, 37}, limits);
}

// The number that the statements leave in %rd1.
std::int64_t result_of(const std::string& body) {
  const Walk walked = walk(body + "\nld.global.u8 %rs1, [%rd1];\nret;");
  return walked.addresses.at(walked.addresses.size() - 2).at(0);
}

struct Case {
  const char* body;
  std::int64_t expected;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.body; }

class Arithmetic : public testing::TestWithParam<Case> {};

TEST_P(Arithmetic, AsTheGpuComputes) { EXPECT_EQ(result_of(GetParam().body), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Table, Arithmetic,
    testing::Values(
        Case{"ld.param.u64 %rd1, [x];", kX}, Case{"ld.param.u64 %rd1, [n];", 1000},
        Case{"mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1;", 37},
        Case{"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, 5; "
             "cvt.u64.u32 %rd1, %r3;",
             133},
        Case{"mov.u32 %r1, -2; mul.wide.u32 %rd1, %r1, 2;", 8589934588},
        Case{"mov.u32 %r1, -2; mul.wide.s32 %rd2, %r1, 2; add.s64 %rd1, %rd2, 10;", 6},
        Case{"mov.u32 %r1, -7; shr.s32 %r2, %r1, 1; cvt.u64.u32 %rd1, %r2;", 4294967292},
        Case{"mov.u32 %r1, -7; shr.u32 %r2, %r1, 28; cvt.u64.u32 %rd1, %r2;", 15},
        Case{"mov.u32 %r1, 1; shl.b32 %r2, %r1, 32; cvt.u64.u32 %rd1, %r2;", 0},
        Case{"mov.u32 %r1, -7; rem.s32 %r2, %r1, 4; add.s32 %r3, %r2, 4; cvt.u64.u32 %rd1, %r3;",
             1},
        Case{"mov.u64 %rd2, 1000; div.u64 %rd1, %rd2, 7;", 142},
        Case{"mov.u64 %rd2, -8; mul.hi.u64 %rd1, %rd2, 4;", 3},
        Case{"mov.u64 %rd2, -8; mul.hi.s64 %rd3, %rd2, 4; add.s64 %rd1, %rd3, 9;", 8},
        Case{"mov.u32 %r1, 0xCCCCCCCD; mul.hi.u32 %r2, %r1, 50; cvt.u64.u32 %rd1, %r2;", 40},
        Case{"mov.u32 %r1, 0x5678; bfe.u32 %r2, %r1, 4, 8; cvt.u64.u32 %rd1, %r2;", 0x67},
        Case{"mov.u64 %rd2, 12; lop3.b64 %rd1, %rd2, 10, 0, 0xC0;", 8},
        Case{"mov.u32 %r1, 3; setp.lt.s32 %p1, %r1, 4; selp.b64 %rd1, 7, 9, %p1;", 7},
        Case{"mov.u32 %r1, -3; setp.lo.u32 %p1, %r1, 4; selp.b64 %rd1, 7, 9, %p1;", 9},
        Case{"mov.u32 %r1, 2; mov.u32 %r2, 3; mov.b64 %rd1, {%r1, %r2};", (3LL << 32) + 2},
        Case{"mov.b64 %rd2, 25769803781; mov.b64 {%r1, %r2}, %rd2; cvt.u64.u32 %rd1, %r2;", 6},
        Case{"ld.global.u64 %rd1, [%rd9];", kUnknownAddress},
        Case{"mov.u64 %rd2, 5; div.u64 %rd1, %rd2, 0;", kUnknownAddress},
        Case{"cvt.rzi.u64.f32 %rd1, %f1;", kUnknownAddress},
        Case{"vote.sync.any.pred %p1, %p2, -1; selp.b64 %rd1, 1, 2, %p1;", kUnknownAddress},
        // What is unknown need not matter.
        Case{"and.b64 %rd1, %rd9, 0;", 0},
        Case{"mov.u64 %rd1, 4; @%p9 mov.u64 %rd1, 4;", kUnknownAddress}));

TEST(Walk, CountsIterations) {
  const Walk walked = walk(R"(
    ld.param.u64 %rd1, [n];
    mov.u64 %rd2, 0;
    $loop: add.s64 %rd2, %rd2, 16;
    setp.lt.s64 %p1, %rd2, %rd1;
    @%p1 bra $loop;
    ret;)");
  EXPECT_THAT(walked.executions, ElementsAre(1, 1, 63, 63, 63, 1));  // 1000 / 16 = 62.5
  EXPECT_THAT(walked.unknown_trips, ElementsAre(false));
  EXPECT_TRUE(walked.complete);
}

TEST(Walk, LoopWhoseEndIsLoadedRunsOnce) {
  const Walk at_its_end = walk(
      "$loop: ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n"
      "@%p1 bra $loop;\nret;");
  EXPECT_THAT(at_its_end.executions, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(at_its_end.unknown_trips, ElementsAre(true));
  const Walk at_its_top = walk(
      "$loop: ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n"
      "@%p1 bra $end;\nbar.sync 0;\nbra.uni $loop;\n$end: ret;");
  EXPECT_EQ(at_its_top.executions[3], 1);
  EXPECT_THAT(at_its_top.unknown_trips, ElementsAre(true));
}

TEST(Walk, EndlessLoopStops) {
  WalkLimits limits;
  limits.steps = 100;
  const Walk walked = walk("$loop: add.s32 %r1, %r1, 1;\nbra.uni $loop;", limits);
  EXPECT_FALSE(walked.complete);
  EXPECT_THAT(walked.unknown_trips, ElementsAre(true));
  EXPECT_THAT(walked.executions, Each(50));
}

TEST(Walk, WhatAnUnknownBranchSkipsRuns) {
  const Walk walked = walk("@%p1 bra $end;\nbar.sync 0;\n$end: ret;");
  EXPECT_THAT(walked.executions, Each(1));
  EXPECT_EQ(walked.unknown_branches, 1);
}

// The last block adds up what all have left: most are not the last.
TEST(Walk, WhatTheLastBlockDoesIsLeftOut) {
  const Walk walked = walk(R"(
    .shared .align 1 .u8 is_last;
    atom.global.inc.u32 %r1, [%rd1], 3;
    setp.eq.s32 %p1, %r1, 3;
    selp.u16 %rs1, 1, 0, %p1;
    st.shared.u8 [is_last], %rs1;
    bar.sync 0;
    ld.shared.u8 %rs2, [is_last];
    setp.eq.s16 %p2, %rs2, 0;
    @%p2 bra $end;
    ld.global.u32 %r2, [%rd1];
    $end: ret;)");
  EXPECT_EQ(walked.executions[8], 0);
  EXPECT_EQ(walked.atomic_branches, 1);
  EXPECT_EQ(walked.unknown_branches, 0);
  const Walk inverted = walk(R"(
    atom.global.inc.u32 %r1, [%rd1], 3;
    setp.eq.s32 %p1, %r1, 3;
    @%p1 bra $last;
    ret;
    $last: ld.global.u32 %r2, [%rd1];
    ret;)");
  EXPECT_EQ(inverted.executions[4], 0);
}

TEST(Walk, SharedMemoryStartsAtZeroInItsOwnSpace) {
  const Walk walked = walk(R"(
    .shared .align 4 .b8 a[64];
    .shared .align 4 .b8 b[64];
    mov.u64 %rd1, b;
    cvta.shared.u64 %rd2, %rd1;
    cvta.to.shared.u64 %rd3, %rd2;
    ld.shared.u32 %r1, [%rd3+4];
    ld.shared.u32 %r1, [b+8];
    ld.u32 %r1, [%rd2];
    ret;)");
  EXPECT_THAT(walked.addresses[3], ElementsAre(68));
  EXPECT_THAT(walked.addresses[4], ElementsAre(72));
  EXPECT_THAT(walked.addresses[5], ElementsAre(kSharedWindow + 64));
}

TEST(Walk, RemembersTheFirstAddresses) {
  WalkLimits limits;
  limits.addresses = 2;
  const Walk walked = walk(R"(
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, 0;
    $loop: st.global.u32 [%rd1], %r1;
    add.s64 %rd1, %rd1, 128;
    add.s32 %r1, %r1, 1;
    setp.ne.s32 %p1, %r1, 5;
    @%p1 bra $loop;
    ret;)",
                           limits);
  EXPECT_EQ(walked.executions[2], 5);
  EXPECT_THAT(walked.addresses[2], ElementsAre(kX, kX + 128));
}

// Reads and walks it, where it is still a kernel.
void read_and_walk(const std::string& text) {
  WalkLimits limits;
  limits.steps = 200;
  try {
    const Function function = parse_entry(text, "k");
    const ControlFlow flow = control_flow(function);
    for (const Block& block : flow.blocks) {
      static_cast<void>(fma_chain(function, block));
      static_cast<void>(load_runs(function, std::span(&block, 1)));
    }
    const Launch launch{{4, 1, 1}, {64, 1, 1}, {kX}};
    static_cast<void>(Walker(function, flow).walk(launch, {{2, 0, 0}, 37}, limits));
  } catch (const TunerError&) {
    // It says what is wrong.
  }
}

// Cut off anywhere, or with any byte replaced, it is an error or a kernel, never a crash.
TEST(Walk, DamageIsSurvived) {
  const std::string text = module(kernel("k", R"(
    .shared .align 4 .b8 tile[1024];
    @%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+4];
    $L: setp.lt.s32 %p1|%p2, %r1, -5;
    mov.b64 %rd1, {%r1, %r2};
    bfe.s32 %r1, %r2, 3, 40;
    shl.b32 %r1, %r1, 33;
    rem.s64 %rd1, %rd1, -1;
    cp.async.cg.shared.global [tile], [%rd1], 16;
    atom.global.add.u32 %r1, [%rd1], 1;
    @%p1 bra $L;
    { add.s32 %r1, %r1, 1; }
    ret;)"));
  read_and_walk(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    read_and_walk(text.substr(0, i));
    for (const char c : {'{', '}', ';', '[', ']', ':', '@', '\0', '"', '.', '9', ',', '%'}) {
      std::string damaged = text;
      damaged[i] = c;
      read_and_walk(damaged);
    }
  }
}

}  // namespace
}  // namespace tuner::ptx
