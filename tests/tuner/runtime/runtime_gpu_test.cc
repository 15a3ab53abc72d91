// The run-time library on a real GPU: launches, and checks what they computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tests/tuner/os/variable.h"
#include "tuner/compile/prebuilt.h"
#include "tuner/gpu/device.h"
#include "tuner/gpu/handles.h"
#include "tuner/os/paths.h"
#include "tuner/runtime/choosing.h"
#include "tuner/runtime/cubin_source.h"
#include "tuner/runtime/runtime.h"
#include "tuner/select/build.h"

namespace tuner::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kOdd = 1000003;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<float> some_values(std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1013) * 0.25f - 100.0f;
  }
  return values;
}

// Skipped where there is no GPU, unless TUNER_REQUIRE_GPU is set to 1. Compiled kernels go to a
// folder that all tests share; results are what the test stores, if anything.
class RuntimeGpu : public testing::Test {
 protected:
  void SetUp() override {
    const char* required = std::getenv("TUNER_REQUIRE_GPU");
    try {
      driver_ = load_driver();
    } catch (const TunerError& error) {
      if (required != nullptr && std::string_view(required) == "1") FAIL() << error.what();
      GTEST_SKIP() << error.what();
    }
    context_ = retain_context(*driver_, device_at(*driver_, 0));
    stream_ = make_stream(*driver_);
  }

  Options options() const {
    Options options;
    options.configs = {folder_ / "configs"};
    options.cache = testing::TempDir() + "tuner-runtime-test-cubins";
    return options;
  }

  DeviceMemory upload(const std::vector<float>& values) const {
    DeviceMemory memory = allocate(*driver_, values.size() * sizeof(float), "a test");
    driver_->check(driver_->memcpy_to_device(memory.get(), values.data(),
                                             values.size() * sizeof(float), stream_.get()),
                   "cuMemcpyHtoDAsync");
    finish();
    return memory;
  }

  std::vector<float> download(const DeviceMemory& memory, std::int64_t n) const {
    std::vector<float> values(static_cast<std::size_t>(n));
    driver_->check(driver_->memcpy_to_host(values.data(), memory.get(),
                                           values.size() * sizeof(float), stream_.get()),
                   "cuMemcpyDtoHAsync");
    finish();
    return values;
  }

  void finish() const { finish(stream_); }
  void finish(const Stream& stream) const {
    driver_->check(driver_->stream_synchronize(stream.get()), "cuStreamSynchronize");
  }

  void expect_copied(const Kernel& copy, std::int64_t n) const {
    const std::vector<float> values = some_values(n);
    const DeviceMemory in = upload(values);
    const DeviceMemory out = upload(std::vector<float>(values.size(), -1.0f));
    copy.launch(stream_.get(), copy.problem().set("n", static_cast<long long>(n)),
                Arguments().pointer("in", in.get()).pointer("out", out.get()));
    EXPECT_EQ(download(out, n), values);
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Driver> driver_;
  PrimaryContext context_;
  Stream stream_;
};

TEST_F(RuntimeGpu, CopiesWithTheShippedResults) {
  Options shipped = options();
  shipped.configs = {data_folder() / "configs"};
  Runtime runtime(shipped);
  const Kernel copy = runtime.kernel("copy");
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1} << 20, kOdd, kOdd * 16}) {
    expect_copied(copy, n);
  }
}

TEST_F(RuntimeGpu, CopiesByTheDefaultWithoutResults) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  expect_copied(copy, kOdd);
  EXPECT_EQ(copy.select(copy.problem().set("n", static_cast<long long>(kOdd))).rung,
            Rung::fallback);
}

// By the tuner itself, in a process of its own; the next runtime finds what it kept.
TEST_F(RuntimeGpu, TunesAtFirstUse) {
  Options first = options();
  first.executable = TUNER_BINARY;
  first.tune_seconds = 1;
  {
    Runtime runtime(first);
    const Kernel copy = runtime.kernel("copy");
    expect_copied(copy, kOdd);
    EXPECT_EQ(copy.select(copy.problem().set("n", static_cast<long long>(kOdd))).rung, Rung::exact);
  }
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Selection& kept = copy.select(copy.problem().set("n", static_cast<long long>(kOdd)));
  EXPECT_EQ(kept.rung, Rung::exact);
  EXPECT_GT(kept.tuned_ns, 0);
  expect_copied(copy, kOdd);
}

TEST_F(RuntimeGpu, AddsInPlaceWithMacrosAndANumber) {
  Runtime runtime(options());
  const Kernel saxpy = runtime.kernel((data_folder() / "examples/saxpy").string());
  std::vector<float> x = some_values(kOdd);
  std::vector<float> y(x.rbegin(), x.rend());
  const DeviceMemory device_x = upload(x);
  const DeviceMemory device_y = upload(y);
  const Problem problem = saxpy.problem().set("n", static_cast<long long>(kOdd)).set("a", 0.5);
  saxpy.launch(stream_.get(), problem,
               Arguments()
                   .pointer("x", device_x.get())
                   .pointer("y", device_y.get())
                   .scalar("a", 0.5)
                   .scalar("n", static_cast<long long>(kOdd)));
  const std::vector<float> got = download(device_y, kOdd);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], std::fma(0.5f, x[i], y[i]), 1e-4) << i;
  }
}

// Its workspaces hold a counter and partial sums: launches that shared them would spoil one
// another.
TEST_F(RuntimeGpu, SumsOnManyStreamsFromManyThreads) {
  Options shipped = options();
  shipped.configs = {data_folder() / "configs"};
  Runtime runtime(shipped);
  const Kernel reduction = runtime.kernel("reduction");
  constexpr int kThreads = 4;
  constexpr int kLaunches = 50;
  const std::int64_t n = 1 << 20;
  const std::vector<float> values(static_cast<std::size_t>(n), 0.5f);
  const DeviceMemory in = upload(values);
  const DeviceMemory out = upload(std::vector<float>(kThreads * kLaunches, -1.0f));
  CUcontext current = nullptr;
  driver_->check(driver_->context_get_current(&current), "cuCtxGetCurrent");
  {
    const Stream other = make_stream(*driver_);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        driver_->check(driver_->context_set_current(current), "cuCtxSetCurrent");
        // Two threads share each stream.
        const CUstream stream = thread % 2 == 0 ? stream_.get() : other.get();
        for (int i = 0; i < kLaunches; ++i) {
          const auto slot = static_cast<std::size_t>(thread * kLaunches + i);
          reduction.launch(
              stream, reduction.problem().set("n", static_cast<long long>(n)),
              Arguments().pointer("in", in.get()).pointer("out", out.get() + slot * sizeof(float)));
        }
      });
    }
    threads.clear();
    finish(other);
    finish();
  }
  for (const float sum : download(out, kThreads * kLaunches)) ASSERT_EQ(sum, 0.5f * (1 << 20));
}

TEST_F(RuntimeGpu, ReportsWrongArgumentsAndGoesOn) {
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  const Problem problem = copy.problem().set("n", 4096);
  const DeviceMemory memory = allocate(*driver_, 4096 * sizeof(float), "a test");
  const auto message = [&](const Arguments& arguments) -> std::string {
    try {
      copy.launch(stream_.get(), problem, arguments);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(Arguments().pointer("in", memory.get())), HasSubstr("buffer 'out'"));
  EXPECT_THAT(message(Arguments()
                          .pointer("in", memory.get())
                          .pointer("out", memory.get())
                          .pointer("more", memory.get())),
              HasSubstr("no buffer 'more'"));
  EXPECT_THAT(
      message(
          Arguments().pointer("in", memory.get()).pointer("out", memory.get()).scalar("count", 5)),
      HasSubstr("set the axis instead"));
  expect_copied(copy, 4096);
}

TEST_F(RuntimeGpu, WorksInTheContextThatItIsGivenAndLeavesTheCurrentOne) {
  Options given = options();
  driver_->check(driver_->context_get_current(&given.context), "cuCtxGetCurrent");
  Runtime runtime(given);
  const Kernel copy = runtime.kernel("copy");
  driver_->check(driver_->context_set_current(nullptr), "cuCtxSetCurrent");
  copy.prepare(copy.problem().set("n", 4096));
  CUcontext now = given.context;
  driver_->check(driver_->context_get_current(&now), "cuCtxGetCurrent");
  EXPECT_EQ(now, nullptr);
  driver_->check(driver_->context_set_current(given.context), "cuCtxSetCurrent");
  expect_copied(copy, 4096);
}

// The cubin of the configuration that will be chosen, as tuner export --cubins makes it.
void ship(const Options& options, const models::DeviceProfile& device, std::int64_t n,
          const fs::path& folder) {
  const KernelDescription description = find_kernel("copy");
  const std::vector<std::pair<std::string, std::string>> size{{"n", std::to_string(n)}};
  const tuner::Kernel kernel(description, resolve_problem(description, size), device);
  const Chosen chosen = choose(kernel, options.configs, false);
  const CompileJob job =
      compile_job(kernel.build(chosen.config), chosen.selection.config, device.compute_capability);
  CubinSource source({}, options.cache, true);
  const CompileResult compiled = source.get(job);
  ASSERT_EQ(compiled.status, CompileResult::Status::ok) << compiled.reason;
  save_prebuilt(folder, job, compiled);
}

TEST_F(RuntimeGpu, LaunchesWithinThirtyMillisecondsFromACubinMadeAheadOfTime) {
  Options ahead = options();
  ship(ahead, device_profile(*driver_, device_at(*driver_, 0)), kOdd, folder_ / "cubins");
  ahead.cubins = {folder_ / "cubins"};
  ahead.compile = false;
  const DeviceMemory in = upload(some_values(kOdd));
  const DeviceMemory out = upload(some_values(kOdd));
  const auto begin = Clock::now();
  Runtime runtime(ahead);
  const Kernel copy = runtime.kernel("copy");
  copy.launch(stream_.get(), copy.problem().set("n", static_cast<long long>(kOdd)),
              Arguments().pointer("in", in.get()).pointer("out", out.get()));
  finish();
  const double ms = ms_since(begin);
  std::printf("first launch from a cubin made ahead of time: %.2f ms\n", ms);
  EXPECT_LE(ms, 30);
  expect_copied(copy, kOdd);
}

TEST_F(RuntimeGpu, LaunchesWithinThirtyMillisecondsFromTheCache) {
  const DeviceMemory in = upload(some_values(kOdd));
  const DeviceMemory out = upload(some_values(kOdd));
  {
    Runtime first(options());  // fills the cache
    const Kernel copy = first.kernel("copy");
    copy.prepare(copy.problem().set("n", static_cast<long long>(kOdd)));
  }
  const auto begin = Clock::now();
  Runtime runtime(options());
  const Kernel copy = runtime.kernel("copy");
  copy.launch(stream_.get(), copy.problem().set("n", static_cast<long long>(kOdd)),
              Arguments().pointer("in", in.get()).pointer("out", out.get()));
  finish();
  const double ms = ms_since(begin);
  std::printf("first launch from the cache: %.2f ms\n", ms);
  EXPECT_LE(ms, 30);
}

TEST_F(RuntimeGpu, WithoutCubinAndNvrtcItSaysWhatIsMissing) {
  const Variable nowhere("TUNER_CUDA_HOME", "/nowhere");
  Options without = options();
  without.cubins = {folder_ / "empty"};
  Runtime runtime(without);
  const Kernel copy = runtime.kernel("copy");
  try {
    copy.prepare(copy.problem().set("n", 4096));
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::no_device);
    EXPECT_THAT(error.what(), HasSubstr("No NVRTC"));
    EXPECT_THAT(error.what(), HasSubstr("No cubin for it"));
  }
}

}  // namespace
}  // namespace tuner::runtime
