// How long it takes to select a configuration for a known problem: from one thread and from four,
// with the problem made beforehand and made anew for each call; of ten repeats the fastest, as
// other programs only slow it down. Needs no GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tuner/runtime/runtime.h"

namespace {

using namespace std::chrono;
using tuner::runtime::Kernel;
using tuner::runtime::Problem;

constexpr int kSizes = 64;
constexpr int kRounds = 5'000;
constexpr int kRepeats = 10;

double ns_per_call(steady_clock::time_point begin, int calls) {
  return duration<double, std::nano>(steady_clock::now() - begin).count() / calls;
}

template <class Call>
double fastest_ns(Call call) {
  double fastest = 1e12;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = steady_clock::now();
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kSizes; ++i) call(i);
    }
    fastest = std::min(fastest, ns_per_call(begin, kRounds * kSizes));
  }
  return fastest;
}

// The sum keeps the compiler from leaving the calls out.
double select_made(const Kernel& kernel, const std::vector<Problem>& problems, std::size_t& sum) {
  return fastest_ns(
      [&](int i) { sum += kernel.select(problems[static_cast<std::size_t>(i)]).config.size(); });
}

double make_and_select(const Kernel& kernel, std::size_t& sum) {
  return fastest_ns([&](int i) {
    const Problem problem = kernel.problem().set("dtype", "f32").set("n", (1 << 20) + i);
    sum += kernel.select(problem).config.size();
  });
}

}  // namespace

int main() {
  tuner::runtime::Options options;
  options.profile = "h200";
  tuner::runtime::Runtime runtime(options);
  const Kernel copy = runtime.kernel("copy");
  std::vector<Problem> problems;
  for (int i = 0; i < kSizes; ++i) {
    problems.push_back(copy.problem().set("dtype", "f32").set("n", (1 << 20) + i));
  }
  const auto begin = steady_clock::now();
  for (const Problem& problem : problems) copy.select(problem);
  std::printf("first selection of a problem   %8.0f ns\n", ns_per_call(begin, kSizes));

  std::size_t sum = 0;
  std::printf("known problem, made before     %8.1f ns\n", select_made(copy, problems, sum));
  std::printf("known problem, made each time  %8.1f ns\n", make_and_select(copy, sum));
  constexpr int kThreads = 4;
  std::vector<double> times(kThreads);
  {
    std::vector<std::jthread> threads;
    for (double& time : times) {
      threads.emplace_back([&] {
        std::size_t own = 0;
        time = select_made(copy, problems, own);
        if (own == 0) std::puts("nothing was selected");
      });
    }
  }
  double slowest = 0;
  for (const double time : times) slowest = time > slowest ? time : slowest;
  std::printf("the same, slowest of 4 threads %8.1f ns\n", slowest);
  return sum > 0 ? 0 : 1;
}
