// Reading hardware counters through ncu: a script stands in for it, which prints what ncu prints.
#include "tuner/pipeline/counting.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tests/tuner/os/variable.h"
#include "tuner/kernel/kernel.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

using testing::HasSubstr;

// The raw page as CSV: a heading, units, a line a kernel; the other program's lines around it.
constexpr const char* kHeading =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)"
    R"("dram__bytes_read.sum","dram__bytes_write.sum","l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",)"
    R"("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",)"
    R"("l1tex__t_sector_hit_rate.pct","lts__t_sector_hit_rate.pct","sm__warps_active.avg.pct_of_peak_sustained_active",)"
    R"("smsp__inst_executed.sum")";
constexpr const char* kUnits =
    R"("","","","","","","","","","","","byte","byte","sector/request","sector/request","","%","%","%","inst")";

std::string printed(const std::string& kernels) {
  return std::string("==PROF== Connected to process 4711 (/usr/bin/tuner)\n") +
         "==PROF== Profiling \"blocks\" - 0: 0%....50%....100% - 3 passes\n" +
         "==PROF== Disconnected from process 4711\n" + kHeading + '\n' + kUnits + '\n' + kernels;
}

std::string kernel_line(int id, const std::string& values) {
  constexpr const char* kBefore =
      R"csv("4711","tuner","127.0.0.1","void k<(int)256, (bool)1>(const float *, ""x"")","1","13",)csv"
      R"csv("(256, 1, 1)","(1024, 1, 1)","0","9.0",)csv";
  return fmt::format("\"{}\",{}{}\n", id, kBefore, values);
}

TEST(ParseNcu, ReadsTheRawPage) {
  const auto counters = parse_ncu(printed(
      kernel_line(0, R"("268,435,456","1024","4.13","4","0","0","62.5","81.25","2,097,152")") +
      kernel_line(1, R"("4096","8","n/a","1","1,920","33.3","100","2.5","64")")));
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[0].dram_read, 268435456);
  EXPECT_EQ(counters[0].load_sectors, 4.13);
  EXPECT_EQ(counters[0].l1_hit, 0);
  EXPECT_EQ(counters[0].l2_hit, 0.625);
  EXPECT_EQ(counters[0].occupancy, 0.8125);
  EXPECT_EQ(counters[0].instructions, 2097152);
  EXPECT_FALSE(counters[1].load_sectors.has_value()) << "n/a";
  EXPECT_EQ(counters[1].bank_conflicts, 1920);
}

// A GPU that lacks a counter leaves its column out.
TEST(ParseNcu, KnowsNothingOfAColumnThatIsNotThere) {
  const auto counters = parse_ncu(
      "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\"\n\"\",\"\",\"byte\"\n\"0\",\"k\",\"64\"\n");
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].dram_read, 64);
  EXPECT_FALSE(counters[0].occupancy.has_value());
}

std::string message_of(const std::string& output) {
  try {
    parse_ncu(output);
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_device);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ParseNcu, SaysHowCountersMayBeRead) {
  const std::string message = message_of(
      "==PROF== Connected to process 4711 (/usr/bin/tuner)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0. For instructions on enabling permissions and "
      "to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
      "==PROF== Disconnected from process 4711\n");
  EXPECT_THAT(message, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(message, testing::Not(HasSubstr("==")));
}

TEST(ParseNcu, TellsTheReasonOfOtherFailures) {
  EXPECT_THAT(message_of("==PROF== x\n==ERROR== The application returned an error code (2).\n"),
              HasSubstr("The application returned an error code (2)."));
  EXPECT_THAT(message_of("tuner: error: no memory\n==WARNING== No kernels were profiled.\n"),
              HasSubstr("No kernels were profiled"));
  EXPECT_THAT(message_of(""), HasSubstr("it printed nothing"));
  EXPECT_THAT(message_of(printed("")), HasSubstr("ncu read no counters"));
}

// The page of instructions as CSV, as printed for a matmul on an H200, cut to a few columns and
// lines: asynchronous copies of 4 and 16 bytes, wide loads and stores of shared memory, one that no
// lane executes, wide stores.
constexpr const char* kSource =
    R"csv("Kernel Name","void k<float, (int)64>(const T1 *, T1 *)","")csv"
    "\n"
    R"("Address","Source","Instructions Executed","Address Space","Access Operation","Access Size","L1 Wavefronts Shared","L2 Theoretical Sectors Global")"
    "\n"
    R"("0x7ff6817a0000","      LDC R1, c[0x0][0x28]","2048","-","-","-","0","0")"
    "\n"
    R"("0x7ff6817a09f0","@!PT  LDS RZ, [RZ]","2048","","Load","32","0","0")"
    "\n"
    R"("0x7ff6817a0a20","      LDGSTS.E.LTC128B desc[UR6][R86.64], [R7]","2048","Global,Shared","Load,Store","32","6144","8192")"
    "\n"
    R"("0x7ff6817a0c60","      LDGSTS.E.BYPASS.LTC128B.128 desc[UR6][R12.64], [R11]","2048","Global,Shared","Load,Store","128","8192","32768")"
    "\n"
    R"("0x7ff6817a1300","      LDS.128 R28, [R44]","2,048","Shared","Load","128","4096","0")"
    "\n"
    R"("0x7ff6817a1330","      LDS.128 R32, [R44+0x40]","2,048","Shared","Load","128","4096","0")"
    "\n"
    R"("0x7ff6817a75a0","      STG.E.128.STRONG.GPU desc[UR6][R26.64], R28","2048","Global","Store","128","0","32768")"
    "\n";

TEST(ParseNcuSource, AddsUpTheInstructionsOfAKind) {
  const auto kernels = parse_ncu_source(std::string("==PROF== 1 report\n") + kSource + kSource);
  ASSERT_EQ(kernels.size(), 2U);
  ASSERT_EQ(kernels[0].size(), 6U);
  const auto of = [&](const AccessKind& kind) {
    return *std::ranges::find(kernels[1], kind, &AccessCounts::kind);
  };
  EXPECT_EQ(of({false, false, 4}).sectors, 8192);
  EXPECT_EQ(of({true, true, 4}).wavefronts, 6144) << "a copy also stores";
  EXPECT_EQ(of({true, true, 4}).sectors, 0);
  EXPECT_EQ(of({false, false, 16}).sectors, 32768);
  EXPECT_EQ(of({true, false, 16}).requests, 4096);
  EXPECT_EQ(of({true, false, 16}).wavefronts, 8192);
  EXPECT_EQ(of({false, true, 16}).sectors, 32768);
}

TEST(ParseNcuSource, FindsNothingElsewhere) {
  EXPECT_TRUE(parse_ncu_source("==ERROR== no report\n").empty());
}

class NcuReader : public testing::Test {
 protected:
  // A script that prints `output`, and keeps what it was called with.
  ReadCounters reader(const std::string& output) {
    folder_.write("output", output);
    const auto script =
        folder_.write("ncu", fmt::format("#!/bin/sh\nprintf '%s\\n' \"$@\" >'{0}/arguments'\n"
                                         "for last; do :; done\ncp \"$last\" '{0}/job'\n"
                                         "cat '{0}/output'\n",
                                         folder_.path().string()));
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return ncu_reader(script);
  }

  static MeasureJob job() {
    MeasureJob job;
    job.id = "block256";
    job.steps.resize(2);
    job.steps[0].kind = LaunchStep::Kind::memset;
    return job;
  }

  const TemporaryFolder folder_;
};

TEST_F(NcuReader, RunsTheJobOnceUnderNcu) {
  MeasureSetup setup;
  setup.cache = CacheMode::warm;
  const auto counters =
      reader(printed(kernel_line(0, R"("1","2","3","4","5","6","7","8")")))(setup, job());
  ASSERT_EQ(counters.size(), 1U) << "a memset has none";
  EXPECT_EQ(counters[0].store_sectors, 4);
  const std::string arguments = read_file(folder_ / "arguments");
  EXPECT_THAT(arguments, HasSubstr("--csv\n--page\nraw\n--print-units\nbase\n"));
  EXPECT_THAT(arguments, HasSubstr("--cache-control\nnone\n"));
  EXPECT_THAT(arguments, HasSubstr("--clock-control\nnone\n"));
  EXPECT_THAT(arguments, HasSubstr("\nrun-once\n"));
  EXPECT_THAT(read_file(folder_ / "job"), HasSubstr("block256"));
  setup.cache = CacheMode::cold;
  reader(printed(kernel_line(0, R"("1","2","3","4","5","6","7","8")")))(setup, job());
  EXPECT_THAT(read_file(folder_ / "arguments"), HasSubstr("--cache-control\nall\n"));
}

// One run into a report, and a page of it for each kind of counters.
TEST_F(NcuReader, ReadsAccessesFromAReport) {
  folder_.write("raw", printed(kernel_line(0, R"("1","2","3","4","5","6","7","8")")));
  folder_.write("source", kSource);
  const auto script =
      folder_.write("ncu", fmt::format("#!/bin/sh\nprintf '%s ' \"$@\" >>'{0}/arguments'\n"
                                       "case \"$*\" in\n"
                                       "*'--import '*'--page raw'*) cat '{0}/raw' ;;\n"
                                       "*'--import '*'--page source'*) cat '{0}/source' ;;\n"
                                       "*) while [ \"$1\" != --export ]; do shift; done\n"
                                       "  touch \"$2\" ;;\nesac\n",
                                       folder_.path().string()));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto counters = ncu_reader(script, true)({}, job());
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].store_sectors, 4);
  EXPECT_EQ(counters[0].accesses.size(), 6U);
  EXPECT_THAT(read_file(folder_ / "arguments"), HasSubstr("--section SourceCounters "));
}

TEST_F(NcuReader, TellsWhyThereIsNoReport) {
  reader("==ERROR== The application returned an error code (2).\n");
  try {
    ncu_reader(folder_ / "ncu", true)({}, job());
    FAIL() << "there is no report";
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("error code (2)"));
  }
}

TEST_F(NcuReader, RefusesCountersOfOtherKernels) {
  const std::string line = kernel_line(0, R"("1","2","3","4","5","6","7","8")");
  EXPECT_THROW(reader(printed(line + line))({}, job()), TunerError);
}

TEST_F(NcuReader, IsFoundOnThePath) {
  reader("");
  {
    const Variable path("PATH", "/nowhere:" + folder_.path().string());
    EXPECT_EQ(find_ncu(), folder_ / "ncu");
  }
  const Variable path("PATH", "/nowhere");
  try {
    find_ncu();
    FAIL() << "there is none";
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_device);
    EXPECT_THAT(error.what(), HasSubstr("Nsight Compute"));
  }
}

TEST(KernelIndex, SkipsMemsets) {
  std::vector<LaunchStep> steps(4);
  steps[0].kind = steps[2].kind = LaunchStep::Kind::memset;
  EXPECT_EQ(kernel_index(steps, 1), 0U);
  EXPECT_EQ(kernel_index(steps, 3), 1U);
}

TEST(AccessRows, JoinWhatIsOfAKind) {
  models::LaunchShape launch;
  launch.threads = 64;
  launch.blocks = 10;
  launch.accesses.resize(3);
  for (models::MemoryAccess& access : launch.accesses) {
    access.width_bytes = 16;
    access.requests_per_warp = 2;
    access.sectors_per_request = 16;
  }
  launch.accesses[0].name = "A";
  launch.accesses[1].name = "B";
  launch.accesses[1].sectors_per_request = 8;
  launch.accesses[2].name = "C";
  launch.accesses[2].store = true;
  const auto rows = access_rows(launch, {{{false, false, 16}, 80, 960, 0}, {{true, false, 4}, 7}});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].names, "A, B");
  EXPECT_EQ(rows[0].model->requests, 80);
  EXPECT_EQ(rows[0].model->sectors, 40 * 16 + 40 * 8);
  EXPECT_EQ(rows[0].measured->sectors, 960);
  EXPECT_EQ(rows[1].names, "C");
  EXPECT_FALSE(rows[1].measured.has_value());
  EXPECT_EQ(rows[2].names, "") << "the source has none of that kind";
  EXPECT_FALSE(rows[2].model.has_value());
}

// By hand, for a transpose of 1024 x 1024 floats by tiles of 32 without padding: 2^20 floats are
// 2^15 requests a way, 4 sectors each, 4 MiB; each column read takes 32 wavefronts for 1.
TEST(ModelCounters, StandWhereTheHardwaresDo) {
  KernelDescription description = find_kernel("transpose");
  Problem problem =
      resolve_problem(description, std::vector<std::pair<std::string, std::string>>{{"n", "1024"}});
  const Kernel kernel(std::move(description), std::move(problem),
                      models::load_device_profile(data_folder() / "configs/devices/t4.json"));
  const std::vector<std::pair<std::string, Value>> values = {{"tile", std::int64_t{32}},
                                                             {"pad", std::int64_t{0}}};
  const models::KernelShape shape = kernel.shape(kernel.space().from_values(values));
  const models::Estimate estimate = models::estimate(kernel.device(), shape);
  const Counters counters = model_counters(kernel.device(), shape, estimate, 0);
  EXPECT_EQ(counters.load_sectors, 4);
  EXPECT_EQ(counters.store_sectors, 4);
  EXPECT_EQ(counters.bank_conflicts, 31 * 32768);
  EXPECT_NEAR(counters.dram_read.value(), 4 << 20, 1);
  EXPECT_EQ(counters.occupancy, 1);
  const models::LaunchShape& launch = shape.launches[0];
  EXPECT_EQ(counters.instructions, 8192 * (launch.instructions_per_thread + 4 + 4 + 4 + 4))
      << "1024 blocks of 8 warps; two accesses of either memory, four times each";
  EXPECT_FALSE(counters.l1_hit.has_value()) << "the model has none";
}

}  // namespace
}  // namespace tuner
