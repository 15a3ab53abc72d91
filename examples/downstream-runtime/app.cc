// Sums arrays with the configuration that was tuned for their size and this GPU, checks the sums
// and says how long the kernels took.
//   app [CUBINS]   CUBINS: a folder made by `tuner export reduction --cubins CUBINS`
// Exit codes: 0 all sums are right, 1 one is not, 2 a kernel could not be run, 4 there is no GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <vector>

#include "tuner/runtime/runtime.h"

namespace {

namespace rt = tuner::runtime;

constexpr int kNoGpu = 4;
// Two that were tuned on an H200, one near such a size, one far from all.
constexpr long long kSizes[] = {1LL << 20, 5000000, 1LL << 24, 31};

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(2);
}

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  double us_until(const Event& end) const {
    float ms = 0;
    check(cudaEventSynchronize(end.event_), "the kernels");
    check(cudaEventElapsedTime(&ms, event_, end.event_), "cudaEventElapsedTime");
    return ms * 1e3;
  }

 private:
  cudaEvent_t event_{};
};

// A launch's time, the mean of several that are queued behind each other. The stream waits until
// they all are: a kernel that is shorter than its launch would be timed at the launch's time.
template <typename Launch>
double mean_us(cudaStream_t stream, const Launch& launch) {
  constexpr int kRuns = 50;
  const auto wait = [](void* queued) { static_cast<std::future<void>*>(queued)->wait(); };
  std::promise<void> all_queued;
  std::future<void> queued = all_queued.get_future();
  Event begin, end;
  check(cudaLaunchHostFunc(stream, wait, &queued), "cudaLaunchHostFunc");
  begin.record(stream);
  for (int i = 0; i < kRuns; ++i) launch();
  end.record(stream);
  all_queued.set_value();
  return begin.us_until(end) / kRuns;
}

template <typename Launch>
double median_us(cudaStream_t stream, const Launch& launch) {
  std::array<double, 5> means;
  for (double& mean : means) mean = mean_us(stream, launch);
  std::sort(means.begin(), means.end());
  return means[means.size() / 2];
}

bool sum(const rt::Kernel& reduction, cudaStream_t stream, long long n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  double expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 7) * 0.25f;
    expected += values[i];
  }
  float* in = nullptr;
  float* out = nullptr;
  const std::size_t bytes = values.size() * sizeof(float);
  check(cudaMalloc(reinterpret_cast<void**>(&in), bytes), "cudaMalloc");
  check(cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");

  const rt::Problem problem = reduction.problem().set("op", "sum").set("n", n);
  const rt::Arguments arguments = rt::Arguments().pointer("in", in).pointer("out", out);
  reduction.launch(stream, problem, arguments);  // compiles or finds the cubin, and loads it
  const double us = median_us(stream, [&] { reduction.launch(stream, problem, arguments); });

  float got = 0;
  check(cudaMemcpy(&got, out, sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaFree(in), "cudaFree");
  check(cudaFree(out), "cudaFree");
  const rt::Selection& chosen = reduction.select(problem);
  const bool right = std::abs(got - expected) <= 1e-5 * expected;
  std::printf("n = %lld: %s (%s), %.2f us, tuned at %.2f us: %s\n", n, chosen.config.c_str(),
              rt::name_of(chosen.rung), us, chosen.tuned_ns * 1e-3, right ? "right" : "WRONG");
  if (!right) std::printf("n = %lld: the sum is %g, expected %g\n", n, got, expected);
  return right;
}

// What would be chosen on a GPU that is not here.
void tell(rt::Options options) {
  options.profile = "h200";
  rt::Runtime runtime(options);
  const rt::Kernel reduction = runtime.kernel("reduction");
  for (const long long n : kSizes) {
    const rt::Selection& chosen =
        reduction.select(reduction.problem().set("op", "sum").set("n", n));
    std::printf("n = %lld: %s (%s)\n", n, chosen.config.c_str(), rt::name_of(chosen.rung));
  }
}

int run(const rt::Options& options) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::printf("There is no GPU: nothing was run. On an H200 this would choose:\n");
    tell(options);
    return kNoGpu;
  }
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  bool right = true;
  {
    rt::Runtime runtime(options);  // in the context that the stream belongs to
    const rt::Kernel reduction = runtime.kernel("reduction");
    for (const long long n : kSizes) right = sum(reduction, stream, n) && right;
  }
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  rt::Options options;
  if (argc > 1) options.cubins = {argv[1]};
  try {
    return run(options);
  } catch (const rt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == rt::Error::Kind::no_device ? kNoGpu : 2;
  }
}
