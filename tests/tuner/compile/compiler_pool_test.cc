#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "tests/tuner/compile/pool_fixture.h"

namespace tuner {
namespace {

using Status = CompileResult::Status;
using testing::ElementsAre;
using testing::StartsWith;

// The shared memory of copy<T, N> is 128 N values of T; the local array of spiller cannot be in
// registers, since it is indexed by what was loaded: 100 ints are 400 bytes.
constexpr const char* kKernels = R"(
namespace tuner {
__constant__ float coefficients[4];
__device__ int counter;
template <typename T, int N>
__global__ void __launch_bounds__(128) copy(const T* in, T* out) {
  __shared__ T staged[128 * N];
  staged[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = staged[127 - threadIdx.x] * coefficients[N - 1] + counter;
}
}  // namespace tuner
extern "C" __global__ void spiller(int* p) {
  int a[100];
  for (int i = 0; i < 100; ++i) a[i] = p[i];
  for (int i = 0; i < 100; ++i) p[i] = a[p[i]];
}
extern "C" __constant__ int limit;
extern "C" __constant__ int limit = 3;
)";

class CompilerPool : public PoolTest {};

TEST_F(CompilerPool, CompilesTemplatesAndPlainKernelsTogether) {
  const auto pool = make_pool();
  CompileJob both = job(kKernels, {"tuner::copy<float, 2>", "spiller", "tuner::copy<double, 4>"});
  both.symbols = {"tuner::coefficients", "&tuner::counter", "limit"};
  const CompileResult result = compile_and_wait(*pool, both);
  ASSERT_EQ(result.status, Status::ok) << result.reason << result.log;
  EXPECT_FALSE(result.cached);
  EXPECT_GT(result.compile_ms, 0);
  EXPECT_THAT(read_file(result.cubin), StartsWith("\x7f"
                                                  "ELF"));
  EXPECT_THAT(result.symbol_names,
              ElementsAre("_ZN5tuner12coefficientsE", "_ZN5tuner7counterE", "limit"));
  ASSERT_EQ(result.entries.size(), 3U);
  EXPECT_EQ(result.entries[0].entry, "tuner::copy<float, 2>");
  EXPECT_EQ(result.entries[0].lowered_name, "_ZN5tuner4copyIfLi2EEEvPKT_PS1_");
  EXPECT_EQ(result.entries[0].static_shared, 128 * 2 * 4);
  // CUDA 12.4 does not count barriers.
  EXPECT_EQ(result.entries[0].barriers, result.log.find("barriers") == std::string::npos ? 0 : 1);
  EXPECT_GT(result.entries[0].registers, 0);
  EXPECT_EQ(result.entries[0].stack_bytes, 0);
  EXPECT_EQ(result.entries[1].lowered_name, "spiller");
  EXPECT_EQ(result.entries[1].stack_bytes, 400);
  EXPECT_EQ(result.entries[1].spill_store_bytes, 0);
  EXPECT_EQ(result.entries[1].barriers, 0);
  EXPECT_EQ(result.entries[2].static_shared, 128 * 4 * 8);
}

TEST_F(CompilerPool, DefinesReachTheSource) {
  const auto pool = make_pool();
  CompileJob sized =
      job("extern \"C\" __global__ void k(int* p) { __shared__ int s[SIZE]; s[threadIdx.x] = *p; "
          "__syncthreads(); *p = s[3 - threadIdx.x]; }",
          {"k"});
  for (const int size : {64, 1024}) {
    sized.options = {"-DSIZE=" + std::to_string(size)};
    const CompileResult result = compile_and_wait(*pool, sized);
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    EXPECT_EQ(result.entries[0].static_shared, size * 4);
  }
}

// 65,536 registers a block: 1024 threads leave 64 a thread; --maxrregcount says it outright.
TEST_F(CompilerPool, RegistersAreCappedByLaunchBoundsAndMaxrregcount) {
  const auto pool = make_pool();
  const std::string body =
      "(const float* p, float* q) { float a[96]; _Pragma(\"unroll\") for (int i = 0; i < 96; ++i) "
      "a[i] = p[i * "
      "threadIdx.x]; __syncthreads(); _Pragma(\"unroll\") for (int i = 0; i < 96; ++i) q[i * "
      "threadIdx.x] = "
      "a[95 - i] * a[i]; }";
  const auto registers = [&](const std::string& bounds, std::vector<std::string> options) {
    CompileJob capped = job("extern \"C\" __global__ void " + bounds + " k" + body, {"k"});
    capped.options = std::move(options);
    const CompileResult result = compile_and_wait(*pool, capped);
    EXPECT_COMPILED(result);
    return result.entries.empty() ? EntryFacts{} : result.entries[0];
  };
  const EntryFacts free = registers("", {});
  EXPECT_GT(free.registers, 96);
  EXPECT_EQ(free.spill_store_bytes, 0);
  const EntryFacts bounded = registers("__launch_bounds__(1024)", {});
  EXPECT_LE(bounded.registers, 64);
  EXPECT_GT(bounded.registers, 0);
  const EntryFacts capped = registers("", {"--maxrregcount=32"});
  EXPECT_LE(capped.registers, 32);
  EXPECT_GT(capped.spill_store_bytes, 0);
  EXPECT_GT(capped.spill_load_bytes, 0);
  EXPECT_GT(capped.stack_bytes, 0);
}

TEST_F(CompilerPool, FindsHeadersOfTheProjectAndOfTheToolkit) {
  folder_.write("own/inner.h", "#include \"deeper/deepest.h\"");
  folder_.write("own/deeper/deepest.h", "constexpr int kDeepest = 1;");
  folder_.write("shared folder/common.h", "constexpr int kCommon = 2;");
  CompileJob with_headers =
      job("#include \"own/inner.h\"\n#include <common.h>\n#include <cuda_fp16.h>\n#include "
          "<cuda/std/cstdint>\n"
          "template <typename T> __global__ void k(T* p, cuda::std::int64_t n) { p[n] = T(kDeepest "
          "+ kCommon); }",
          {"k<half>"});
  with_headers.include_dirs = {folder_ / "shared folder"};
  const CompileResult result = compile_and_wait(*make_pool(), with_headers);
  EXPECT_COMPILED(result) << result.log;
}

TEST_F(CompilerPool, LanguageIsCxx17UnlessToldOtherwise) {
  const auto pool = make_pool();
  CompileJob versioned =
      job("extern \"C\" __global__ void k(long* p) { *p = __cplusplus; }\n"
          "static_assert(__cplusplus == EXPECTED);",
          {"k"});
  versioned.options = {"-DEXPECTED=201703L"};
  EXPECT_COMPILED(compile_and_wait(*pool, versioned));
  versioned.options = {"-DEXPECTED=202002L", "--std=c++20"};
  EXPECT_COMPILED(compile_and_wait(*pool, versioned));
}

TEST_F(CompilerPool, CompilesForEveryArchitectureThatNvrtcKnows) {
  const auto pool = make_pool({"compile-process"}, 2);
  CompileJob simple = job("extern \"C\" __global__ void k(int* p) { *p = __CUDA_ARCH__; }", {"k"});
  const NvrtcInfo info = nvrtc_info();
  ASSERT_TRUE(info.found) << info.problem;
  EXPECT_THAT(info.architectures, testing::IsSupersetOf({75, 80, 86, 89, 90}));
  for (const int architecture : info.architectures) {
    simple.architecture = architecture;
    const CompileResult result = compile_and_wait(*pool, simple);
    EXPECT_COMPILED(result) << architecture;
    ASSERT_EQ(result.entries.size(), 1U);
    EXPECT_GT(result.entries[0].registers, 0) << architecture;
  }
}

TEST_F(CompilerPool, SeveralProcessesServeManyJobs) {
  constexpr int kJobs = 12;
  std::mutex mutex;
  std::condition_variable all_done;
  std::vector<std::int64_t> sizes;
  const auto pool = make_pool({"compile-process"}, 3);
  EXPECT_EQ(pool->parallelism(), 3);
  for (int i = 1; i <= kJobs; ++i) {
    CompileJob sized =
        job("template <int N> __global__ void k(int* p) { __shared__ int s[N]; s[*p] = *p; "
            "__syncthreads(); *p = s[0]; }",
            {"k<" + std::to_string(i) + ">"});
    pool->submit(sized, [&](const CompileResult& result) {
      const std::lock_guard lock(mutex);
      EXPECT_COMPILED(result);
      sizes.push_back(result.entries.empty() ? 0 : result.entries[0].static_shared);
      if (sizes.size() == kJobs) all_done.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  all_done.wait(lock, [&] { return sizes.size() == kJobs; });
  std::sort(sizes.begin(), sizes.end());
  for (int i = 1; i <= kJobs; ++i) EXPECT_EQ(sizes[static_cast<std::size_t>(i - 1)], 4 * i);
}

}  // namespace
}  // namespace tuner
