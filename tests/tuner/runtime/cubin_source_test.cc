// With NVRTC, and as if there were none; no GPU.
#include "tuner/runtime/cubin_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tests/tuner/os/variable.h"
#include "tuner/compile/prebuilt.h"

namespace tuner::runtime {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Status = CompileResult::Status;

constexpr const char* kSource = R"(
#include "step.h"
extern "C" __global__ void add(int* p) { p[threadIdx.x] += STEP; }
)";

class CubinSourceTest : public testing::Test {
 protected:
  CubinSourceTest() { folder_.write("step.h", "#define STEP 1\n"); }

  CompileJob job(int architecture = 90) const {
    CompileJob result;
    result.label = "add";
    result.source = folder_.write("add.cu", kSource);
    result.entries = {"add"};
    result.architecture = architecture;
    return result;
  }
  fs::path cache() const { return folder_ / "cache"; }
  fs::path shipped() const { return folder_ / "shipped"; }
  void ship(const CompileJob& job) const {
    CubinSource source({}, cache(), true);
    const CompileResult compiled = source.get(job);
    ASSERT_EQ(compiled.status, Status::ok) << compiled.reason;
    save_prebuilt(shipped(), job, compiled);
  }

  TemporaryFolder folder_;
};

TEST_F(CubinSourceTest, CompilesOnceAndThenFindsItInTheCache) {
  {
    CubinSource source({}, cache(), true);
    const CompileResult first = source.get(job());
    ASSERT_EQ(first.status, Status::ok) << first.reason;
    EXPECT_FALSE(first.cached);
    EXPECT_GT(first.entries.at(0).registers, 0);
  }
  CubinSource another({}, cache(), true);
  EXPECT_TRUE(another.get(job()).cached);
  EXPECT_FALSE(another.get(job(80)).cached);
}

TEST_F(CubinSourceTest, AnErrorOfTheSourceIsAReason) {
  CompileJob broken = job();
  broken.source =
      folder_.write("broken.cu", "extern \"C\" __global__ void add(int* p) { p[0] = q; }");
  CubinSource source({}, cache(), true);
  const CompileResult result = source.get(broken);
  EXPECT_EQ(result.status, Status::error);
  EXPECT_THAT(result.reason, HasSubstr("\"q\""));
}

TEST_F(CubinSourceTest, SeveralThreadsCompileAtOnce) {
  CubinSource source({}, cache(), true);
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (const int architecture : {75, 80, 86, 90}) {
      threads.emplace_back([&, one = job(architecture)] {
        if (source.get(one).status == Status::ok) ++right;
      });
    }
  }
  EXPECT_EQ(right.load(), 4);
}

TEST_F(CubinSourceTest, WhatWasMadeAheadOfTimeNeedsNoNvrtc) {
  ship(job());
  const Variable nowhere("TUNER_CUDA_HOME", "/nowhere");
  CubinSource source({folder_ / "empty", shipped()}, folder_ / "other cache", true);
  const CompileResult found = source.get(job());
  ASSERT_EQ(found.status, Status::ok) << found.reason;
  EXPECT_EQ(found.entries.at(0).entry, "add");
  EXPECT_GT(found.entries.at(0).registers, 0);
  EXPECT_FALSE(read_file(found.cubin).empty());
}

TEST_F(CubinSourceTest, AnotherSourceHeaderOptionOrArchitectureIsNotFound) {
  ship(job());
  CubinSource source({shipped()}, cache(), false);
  EXPECT_EQ(source.get(job()).status, Status::ok);
  EXPECT_THAT(source.get(job(80)).reason, AllOf(HasSubstr("sm_80"), HasSubstr(shipped().string())));
  CompileJob with_option = job();
  with_option.options = {"-DX=1"};
  EXPECT_EQ(source.get(with_option).status, Status::error);
  folder_.write("step.h", "#define STEP 2222\n");
  CubinSource after({shipped()}, cache(), false);
  EXPECT_EQ(after.get(job()).status, Status::error);
}

TEST_F(CubinSourceTest, ADamagedCubinIsNotUsed) {
  ship(job());
  for (const auto& entry : fs::directory_iterator(shipped())) {
    if (entry.path().extension() == ".cubin") write_file_atomically(entry.path(), "garbage");
  }
  CubinSource source({shipped()}, cache(), false);
  EXPECT_EQ(source.get(job()).status, Status::error);
}

TEST_F(CubinSourceTest, WithoutNvrtcItSaysWhereItWasLookedFor) {
  const Variable nowhere("TUNER_CUDA_HOME", "/nowhere");
  CubinSource source({}, cache(), true);
  const CompileResult result = source.get(job());
  EXPECT_EQ(result.status, Status::error);
  EXPECT_THAT(result.reason, AllOf(HasSubstr("No NVRTC"), HasSubstr("/nowhere")));
}

TEST_F(CubinSourceTest, ASourceThatIsGoneIsAReason) {
  CompileJob gone = job();
  gone.source = folder_ / "gone.cu";
  CubinSource source({shipped()}, cache(), true);
  EXPECT_THAT(source.get(gone).reason, HasSubstr("gone.cu"));
}

TEST_F(CubinSourceTest, AComputedIncludeCannotBeMadeAheadOfTime) {
  CompileJob computed = job();
  computed.source =
      folder_.write("add.cu", std::string("#define H \"step.h\"\n#include H\n") + kSource);
  CubinSource source({}, cache(), true);
  const CompileResult compiled = source.get(computed);
  ASSERT_EQ(compiled.status, Status::ok) << compiled.reason;
  EXPECT_THROW(save_prebuilt(shipped(), computed, compiled), TunerError);
}

}  // namespace
}  // namespace tuner::runtime
