// Kernels written by hand in the form that the compiler gives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/tuner/ptx/kernel_text.h"
#include "tuner/ptx/function.h"
#include "tuner/ptx/instructions.h"
#include "tuner/ptx/tokens.h"

namespace tuner::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tokens, CommentsAreLeftOutAndLinesCounted) {
  const auto tokens = tokenize("a // b\n/* c\nd */ e.f::g [%r1+4]; \"h // i\" $L: -3");
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.emplace_back(token.text);
  EXPECT_THAT(texts, ElementsAre("a", "e.f::g", "[", "%r1", "+", "4", "]", ";", "\"h // i\"", "$L",
                                 ":", "-", "3"));
  EXPECT_EQ(tokens[1].line, 3);
}

TEST(Parse, OneOfSeveralKernelsIsTakenByName) {
  const std::string text = module(kernel("first", "ret;") + kernel("second", "bar.sync 0;\nret;"));
  const Function function = parse_entry(text, "second");
  EXPECT_EQ(function.name, "second");
  EXPECT_THAT(function.parameters, ElementsAre("x", "n"));
  ASSERT_EQ(function.code.size(), 2U);
  EXPECT_THAT(function.code[0].opcode, ElementsAre("bar", "sync"));
}

TEST(Parse, OperandsOfAllForms) {
  const Function function = parse_entry(module(kernel("k", R"(
    @!%p1 ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-16];
    setp.lt.s32 %p2|%p3, %r1, -1;
    mov.b64 %rd2, 0x10;
    fma.rn.f32 %f1, %f2, 0f3F800000, %f3;
    st.shared.u32 [tile+8], %r1;
    elect.sync _|%p2, -1;
    ret;)")),
                                        "k");
  ASSERT_EQ(function.code.size(), 7U);
  const Instruction& load = function.code[0];
  EXPECT_EQ(function.registers[static_cast<std::size_t>(load.guard)], "%p1");
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(load.operands[0].parts.size(), 4U);
  EXPECT_EQ(load.operands[1].kind, Operand::Kind::address);
  EXPECT_EQ(load.operands[1].value, -16);
  EXPECT_EQ(memory_use(load)->width_bytes, 16);
  EXPECT_EQ(function.code[1].operands[0].parts.size(), 2U);
  EXPECT_EQ(function.code[1].operands[2].value, -1);
  EXPECT_EQ(function.code[2].operands[1].value, 16);
  EXPECT_EQ(function.code[3].operands[2].value, 0x3F800000);
  EXPECT_EQ(function.code[4].operands[0].symbol, "tile");
  EXPECT_EQ(function.code[4].operands[0].value, 8);
  EXPECT_EQ(function.code[5].operands[0].parts[0], -1);
}

// Inline assembly may use one label in each of its blocks.
TEST(Parse, LabelsBelongToTheirBraces) {
  const Function function = parse_entry(module(kernel("k", R"(
    {
    .reg .pred done;
    again:
    @done bra again;
    }
    .loc 1 20 3, function_name $L__info_string0, inlined_at 1 2 3
    {
    again: bra.uni again;
    }
    ret;)")),
                                        "k");
  ASSERT_EQ(function.code.size(), 3U);
  EXPECT_EQ(function.code[0].target, 0);
  EXPECT_EQ(function.code[1].target, 1);
}

TEST(Parse, SharedVariablesFollowOneAnother) {
  const std::string text = module(".extern .shared .align 16 .b8 dynamic[];\n" + kernel("k", R"(
    .shared .align 4 .b8 a_tile[1000];
    .shared .align 16 .v4 .f32 b_tile[8][2];
    ret;)"));
  const Function function = parse_entry(text, "k");
  ASSERT_EQ(function.shared.size(), 3U);
  EXPECT_EQ(function.shared[1].offset, 0);
  EXPECT_EQ(function.shared[1].bytes, 1000);
  EXPECT_EQ(function.shared[2].offset, 1008);
  EXPECT_EQ(function.shared[0].bytes, 0);
  EXPECT_GE(function.shared[0].offset, 1008 + 64);
}

TEST(Parse, UnknownInstructionsAreKept) {
  const Function function =
      parse_entry(module(kernel("k", "frobnicate.v9.z77 %r1, {%r2}, (a, b), [c];\nret;")), "k");
  EXPECT_EQ(kind_of(function.code[0]), Kind::other);
}

std::string error_of(const std::string& text, const std::string& entry = "k") {
  try {
    parse_entry(text, entry);
  } catch (const TunerError& error) {
    return error.what();
  }
  return "";
}

TEST(Parse, WhatIsWrongIsNamed) {
  EXPECT_THAT(error_of(""), HasSubstr("no kernel k"));
  EXPECT_THAT(error_of(module(kernel("other", "ret;"))), HasSubstr("no kernel k"));
  EXPECT_THAT(error_of(module(kernel("k", "bra $nowhere;"))), HasSubstr("no label '$nowhere'"));
  EXPECT_THAT(error_of(module(kernel("k", "bra;"))), HasSubstr("no label ''"));
  EXPECT_THAT(error_of(module(kernel("k", "[%r1] add;"))), HasSubstr("expected an instruction"));
  EXPECT_THAT(error_of(module(kernel("k", "ld.global.u32 %r1, [%rd1; ret;"))),
              HasSubstr("an address has no end"));
}

struct KindCase {
  const char* text;
  Kind kind;
};

void PrintTo(const KindCase& one, std::ostream* out) { *out << one.text; }

class Kinds : public testing::TestWithParam<KindCase> {};

TEST_P(Kinds, OfInstruction) {
  const Function function =
      parse_entry(module(kernel("k", GetParam().text + std::string(";"))), "k");
  EXPECT_EQ(kind_of(function.code.at(0)), GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Kinds,
    testing::Values(KindCase{"fma.rn.f32 %f1, %f2, %f3, %f4", Kind::fp32},
                    KindCase{"add.rn.ftz.f32 %f1, %f2, %f3", Kind::fp32},
                    KindCase{"fma.rn.f16x2 %r1, %r2, %r3, %r4", Kind::fp32},
                    KindCase{"mul.f64 %fd1, %fd2, %fd3", Kind::fp64},
                    KindCase{"mad.lo.s32 %r1, %r2, %r3, %r4", Kind::integer},
                    KindCase{"div.rn.f32 %f1, %f2, %f3", Kind::special},
                    KindCase{"cvt.rn.f32.s32 %f1, %r1", Kind::special},
                    KindCase{"cvt.u64.u32 %rd1, %r1", Kind::free},
                    KindCase{"ld.param.u64 %rd1, [x]", Kind::free},
                    KindCase{"ld.shared.v2.f64 {%fd1, %fd2}, [%r1]", Kind::load},
                    KindCase{"st.local.u8 [%rd1], %rs1", Kind::store},
                    KindCase{"atom.global.add.f32 %f1, [%rd1], %f2", Kind::atomic},
                    KindCase{"red.shared.add.u32 [%r1], 1", Kind::atomic},
                    KindCase{"bar.sync 0", Kind::barrier},
                    KindCase{"barrier.sync.aligned 1, 128", Kind::barrier},
                    KindCase{"bar.warp.sync -1", Kind::other},
                    KindCase{"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1", Kind::shuffle},
                    KindCase{"cp.async.cg.shared.global [%r1], [%rd1], 16", Kind::async_copy},
                    KindCase{"cp.async.commit_group", Kind::other},
                    KindCase{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, "
                             "{%r2}, {%f2}",
                             Kind::tensor},
                    KindCase{"call.uni (retval0), vprintf, (param0, param1)", Kind::call},
                    KindCase{"brx.idx %r1, $table", Kind::branch}));

}  // namespace
}  // namespace tuner::ptx
