// What scoring a configuration costs: its shapes and counts from the description's expressions, and
// the model's time for them. All valid configurations of a kernel's space, or the first 200,000, on
// one thread, in the space's order as the search scores them; of five repeats the fastest, as other
// programs only slow it down. Needs no GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "models/estimate.h"
#include "tuner/kernel/access_memo.h"
#include "tuner/kernel/kernel.h"
#include "tuner/os/paths.h"

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;
using tuner::Kernel;

constexpr std::size_t kMost = 200'000;
constexpr int kRepeats = 5;

struct Case {
  const char* kernel;
  std::vector<std::pair<std::string, std::string>> sizes;  // axes
};

double us_each(const Kernel& kernel, const std::vector<tuner::search::Config>& configs,
               bool model) {
  double fastest = 1e12;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = steady_clock::now();
    tuner::AccessMemo memo;
    double total = 0;
    for (const tuner::search::Config& config : configs) {
      const tuner::models::KernelShape shape = kernel.shape(config, {}, &memo);
      total += model ? tuner::models::score(kernel.device(), shape).time_ns
                     : static_cast<double>(shape.launches.size());
    }
    const double us = duration<double, std::micro>(steady_clock::now() - begin).count();
    if (total > 0) fastest = std::min(fastest, us / static_cast<double>(configs.size()));
  }
  return fastest;
}

void run(const Case& one, const tuner::models::DeviceProfile& device) {
  const tuner::KernelDescription description = tuner::find_kernel(one.kernel);
  const Kernel kernel(description, tuner::resolve_problem(description, one.sizes), device);
  const std::vector<tuner::search::Config> configs = kernel.space().materialize(kMost);
  std::string sizes;
  for (const auto& [name, size] : one.sizes)
    sizes.append(" ").append(name).append("=").append(size);
  const double shapes = us_each(kernel, configs, false), both = us_each(kernel, configs, true);
  std::printf(
      "%-12s%-32s %7zu configurations: %6.2f us each, %5.2f of them for shapes and counts\n",
      one.kernel, sizes.c_str(), configs.size(), both, shapes);
}

}  // namespace

int main() try {
  const auto device =
      tuner::models::load_device_profile(tuner::data_folder() / "configs/devices/h200.json");
  for (const Case& one :
       {Case{"matmul", {{"m", "512"}, {"n", "512"}, {"k", "512"}}},
        Case{"matmul", {{"m", "4096"}, {"n", "4096"}, {"k", "4096"}}},
        Case{"matmul", {{"m", "3000"}, {"n", "3000"}, {"k", "3000"}}},
        Case{"copy", {{"n", "268435456"}}}, Case{"reduction", {{"n", "268435456"}}},
        Case{"gather", {{"n", "67108864"}}}, Case{"transpose", {{"m", "16384"}, {"n", "16384"}}}}) {
    run(one, device);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
