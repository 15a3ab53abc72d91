// Sums an array with the configuration that was tuned for its size and this GPU.
// Without a GPU it says what it would launch on an H200.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <vector>

// The kernels first: then the header knows their instantiations.
#include "reduction/reduction.cu"
#include "transpose/transpose.cu"
#define TUNED_WITH_KERNELS
#include "tuned.hpp"

namespace reduction = tuned::reduction;
using tuner_export_1::device;
using tuner_export_1::rung;

namespace {

constexpr device kH200 = {"NVIDIA H200", 90,     132,   1024,     2048,
                          232448,        233472, 65536, 62914560, 150109880320};

// A size that is known when this is compiled is looked up when this is compiled.
constexpr reduction::problem kSixteenMillion = {reduction::op_axis::sum, reduction::dtype_axis::f32,
                                                false, 1 << 24};
static_assert(reduction::select(kH200, kSixteenMillion).how == rung::exact, "it is tuned for");

const char* name_of(rung how) {
  switch (how) {
    case rung::exact:
      return "exact";
    case rung::nearest_size:
      return "nearest size";
    case rung::same_capability:
      return "same compute capability";
    case rung::fallback:
      return "fallback";
    case rung::none:
      break;
  }
  return "none";
}

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

void* allocate(long long bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "cudaMalloc");
  check(cudaMemset(memory, 0, static_cast<std::size_t>(bytes)), "cudaMemset");
  return memory;
}

dim3 dim(const tuner_export_1::extent& of) {
  return dim3(static_cast<unsigned>(of.x), static_cast<unsigned>(of.y),
              static_cast<unsigned>(of.z));
}

// Memory of a configuration's own, by name.
template <class Workspaces>
void* workspace(const Workspaces& all, void* const* memory, const char* name) {
  for (int i = 0; i < all.count; ++i) {
    if (tuner_export_1::same_text(all[i].name, name)) return memory[i];
  }
  return nullptr;
}

// One sum: the steps of the configuration, in order. Each configuration has the kernels that it
// launches and no others, so what follows is compiled for the steps that it has.
template <class Config>
void launch_sum(const device& gpu, const reduction::problem& problem, const float* in, float* out,
                void* const* memory) {
  const auto steps = Config::launches(problem, gpu);
  const auto extra = Config::workspaces(problem, gpu);
  const long long n = problem.n;
  const auto partial = static_cast<float*>(workspace(extra, memory, "partial"));
  const auto done = static_cast<unsigned*>(workspace(extra, memory, "done"));
  const auto total = static_cast<float*>(workspace(extra, memory, "total"));
  for (const auto& step : steps) {
    const dim3 grid = dim(step.grid), block = dim(step.block);
    const auto shared = static_cast<std::size_t>(step.dynamic_shared);
    using reduction::finish_value;
    if constexpr (Config::finish == finish_value::atomic) {
      Config::kernel_atomic()<<<grid, block, shared>>>(in, total, done, out, n);
    } else if constexpr (Config::finish == finish_value::last_block) {
      Config::kernel_once()<<<grid, block, shared>>>(in, partial, done, out, n);
    } else if (tuner_export_1::same_text(step.name, "blocks")) {
      Config::kernel_blocks()<<<grid, block, shared>>>(in, partial, n);
    } else {
      Config::kernel_partials()<<<grid, block, shared>>>(
          partial, out, Config::arguments::partial_count(problem, gpu));
    }
  }
}

// A launch's time, the mean of several that are queued behind each other. The stream waits until
// they all are: a kernel that is shorter than its launch would be timed at the launch's time.
template <class Launch>
float mean_us(const Launch& launch) {
  constexpr int kRuns = 50;
  const auto wait = [](void* queued) { static_cast<std::future<void>*>(queued)->wait(); };
  std::promise<void> all_queued;
  std::future<void> queued = all_queued.get_future();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaLaunchHostFunc(nullptr, wait, &queued), "cudaLaunchHostFunc");
  check(cudaEventRecord(begin), "cudaEventRecord");
  for (int i = 0; i < kRuns; ++i) launch();
  check(cudaEventRecord(end), "cudaEventRecord");
  all_queued.set_value();
  float ms = 0;
  check(cudaEventSynchronize(end), "the kernels");
  check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  check(cudaEventDestroy(begin), "cudaEventDestroy");
  check(cudaEventDestroy(end), "cudaEventDestroy");
  return ms * 1e3f / kRuns;
}

template <class Launch>
float median_us(const Launch& launch) {
  std::array<float, 5> means;
  for (float& mean : means) mean = mean_us(launch);
  std::sort(means.begin(), means.end());
  return means[means.size() / 2];
}

bool run(const device& gpu, long long n) {
  const reduction::problem problem = {reduction::op_axis::sum, reduction::dtype_axis::f32, false,
                                      n};
  std::vector<float> values(static_cast<std::size_t>(n));
  double expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 7) * 0.25f;
    expected += values[i];
  }
  const std::size_t bytes = values.size() * sizeof(float);
  const auto in = static_cast<float*>(allocate(static_cast<long long>(bytes)));
  const auto out = static_cast<float*>(allocate(sizeof(float)));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");

  float sum = 0;
  const bool found = reduction::dispatch(gpu, problem, [&](auto config, rung how) {
    using Config = decltype(config);
    const auto extra = Config::workspaces(problem, gpu);
    void* memory[8] = {};
    for (int i = 0; i < extra.count; ++i) memory[i] = allocate(extra[i].bytes);
    launch_sum<Config>(gpu, problem, in, out, memory);  // loads the code
    const float us = median_us([&] { launch_sum<Config>(gpu, problem, in, out, memory); });
    check(cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < extra.count; ++i) check(cudaFree(memory[i]), "cudaFree");
    std::printf("n = %lld: %s (%s), %.2f us, tuned at %.2f us\n", n, Config::about::id,
                name_of(how), us, Config::about::time_ns * 1e-3);
  });
  check(cudaFree(in), "cudaFree");
  check(cudaFree(out), "cudaFree");
  if (!found) std::printf("n = %lld: nothing fits\n", n);
  const bool right = found && std::abs(sum - expected) <= 1e-5 * expected;
  if (!right) std::printf("n = %lld: the sum is %g, expected %g\n", n, sum, expected);
  return right;
}

int tell() {
  for (const long long n : {1LL << 20, 5000000LL, 1LL << 24, 31LL}) {
    const reduction::problem problem = {reduction::op_axis::sum, reduction::dtype_axis::f32, false,
                                        n};
    reduction::dispatch(kH200, problem, [&](auto config, rung how) {
      using Config = decltype(config);
      for (const auto& step : Config::launches(problem, kH200)) {
        std::printf("n = %lld: %s (%s): %s<<<%lld, %lld>>>\n", n, Config::about::id, name_of(how),
                    step.name, step.grid.x, step.block.x);
      }
    });
  }
  return 0;
}

}  // namespace

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::printf("There is no GPU; on an H200 this would launch:\n");
    return tell();
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const device gpu = tuner_export_1::device_from(properties);
  bool right = true;
  for (const long long n : {1LL << 20, 5000000LL, 1LL << 24, 31LL}) right = run(gpu, n) && right;
  return right ? 0 : 1;
}
