#include "tuner/compile/compiler_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tuner {
namespace {

using testing::SizeIs;

// As NVRTC 13.0 wrote it for a kernel with __shared__ float s[256] and one whose int a[100] spills.
constexpr const char* kLog13 =
    R"(kernel.cu(3): warning #177-D: variable "x" was declared but never referenced

ptxas info    : Overriding maximum register limit 256 for 'plain' with  24 of maxrregcount option
ptxas info    : 4 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function '_ZN5tuner4copyIfLi2EEEvPKT_PS1_' for 'sm_90'
ptxas info    : Function properties for _ZN5tuner4copyIfLi2EEEvPKT_PS1_
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 5.100 ms
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
ptxas         .     1360 bytes stack frame, 1260 bytes spill stores, 1436 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 1360 bytes cumulative stack size
ptxas info    : Compile time = 126.469 ms
)";

TEST(ParsePtxasInfo, ReadsEveryEntry) {
  const auto infos = parse_ptxas_info(kLog13);
  ASSERT_THAT(infos, SizeIs(2));
  const EntryFacts& copy = infos.at("_ZN5tuner4copyIfLi2EEEvPKT_PS1_");
  EXPECT_EQ(copy.registers, 14);
  EXPECT_EQ(copy.barriers, 1);
  EXPECT_EQ(copy.static_shared, 1024);
  EXPECT_EQ(copy.stack_bytes, 0);
  EXPECT_EQ(copy.spill_store_bytes, 0);
  EXPECT_EQ(copy.spill_load_bytes, 0);
  const EntryFacts& plain = infos.at("plain");
  EXPECT_EQ(plain.registers, 24);
  EXPECT_EQ(plain.barriers, 0);
  EXPECT_EQ(plain.static_shared, 0);
  EXPECT_EQ(plain.stack_bytes, 1360);
  EXPECT_EQ(plain.spill_store_bytes, 1260);
  EXPECT_EQ(plain.spill_load_bytes, 1436);
}

// nvcc 12's spelling, with a function that was not inlined: its spills are the kernel's, its stack
// is in the cumulative size.
TEST(ParsePtxasInfo, FunctionsThatAreCalledCountForTheirEntry) {
  const auto infos = parse_ptxas_info(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 255 registers, 49152 bytes smem, 368 bytes cmem[0]\n"
      "ptxas info    : Function properties for _Z6helperf\n"
      "    40 bytes stack frame, 20 bytes spill stores, 30 bytes spill loads\n");
  const EntryFacts& facts = infos.at("k");
  EXPECT_EQ(facts.registers, 255);
  EXPECT_EQ(facts.static_shared, 49152);
  EXPECT_EQ(facts.barriers, 0);
  EXPECT_EQ(facts.stack_bytes, 8);
  EXPECT_EQ(facts.spill_store_bytes, 24);
  EXPECT_EQ(facts.spill_load_bytes, 42);
}

TEST(ParsePtxasInfo, NothingInNothingOut) {
  EXPECT_TRUE(parse_ptxas_info("").empty());
  EXPECT_TRUE(parse_ptxas_info("ptxas info    : Used 24 registers\n\n").empty());
}

TEST(FirstError, FindsAndShortensIt) {
  struct Case {
    const char* log;
    const char* expected;
  };
  const std::vector<Case> cases{
      {"", "NVRTC_ERROR"},
      {"kernel.cu(1): warning #177-D: never referenced\n", "NVRTC_ERROR"},
      {"/a b/c/kernel.cu(7): error: expected a \";\"\n  int x\n\n1 error detected in the "
       "compilation",
       "kernel.cu(7): error: expected a \";\""},
      {"k.cu(1): warning: x\nk.cu(2): error #20: identifier \"y\" is undefined\nk.cu(3): error: "
       "z\n",
       "k.cu(2): error #20: identifier \"y\" is undefined"},
      {"2 errors detected in the compilation of \"k.cu\".\n", "NVRTC_ERROR"},
      {"k.cu(2): catastrophic error: cannot open source file \"a/b.h\"\n",
       "k.cu(2): catastrophic error: cannot open source file \"a/b.h\""},
      {"nvrtc: error: invalid value for --gpu-architecture (-arch)\n",
       "nvrtc: error: invalid value for --gpu-architecture (-arch)"},
      {"ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n",
       "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)"},
      {"ptxas fatal   : Memory allocation failure\n", "ptxas fatal   : Memory allocation failure"},
      {"__nv_name_map(2): error: identifier \"nope\" is undefined\n",
       "in an entry's or a symbol's name: error: identifier \"nope\" is undefined"},
  };
  for (const Case& item : cases) EXPECT_EQ(first_error(item.log, "NVRTC_ERROR"), item.expected);
}

TEST(FirstError, CutsBetweenCharacters) {
  std::string log = "k.cu(1): error: ";
  for (int i = 0; i < 300; ++i) log += "é";
  const std::string reason = first_error(log, "");
  // 240 bytes at most: 16 before, then 112 characters of two bytes.
  EXPECT_EQ(reason, log.substr(0, 240) + "…");
  const std::string shifted = first_error("k" + log, "");
  EXPECT_EQ(shifted, "k" + log.substr(0, 238) + "…");
}

}  // namespace
}  // namespace tuner
