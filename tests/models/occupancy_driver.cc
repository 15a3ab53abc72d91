// Asks the driver of this machine's GPU for the resident blocks of many kernels and launches, and
// writes the answers as a fixture for occupancy_fixture_test:
//
//   occupancy_driver FILE.json.gz [DEVICE]
//
// The fixture is gzipped JSON: {"schema": "tuner.occupancy", "version": 1, "device": a profile with
// the driver's limits, "driver": its CUDA version, "threads": [block sizes], "dynamic_shared":
// [bytes], "kernels": [{"registers", "static_shared" (both as the compiler's log has them, which is
// what the tuner goes by), "driver_registers", "driver_static_shared" (as the driver says),
// "blocks": [a SM; for each block size, for each dynamic size]}]}. -1 is an answer that was an
// error.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/gpu/device.h"
#include "tuner/gpu/driver.h"
#include "tuner/gpu/handles.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

constexpr std::array kThreads = {1,   31,  32,  33,  48,  64,  96,  100, 128, 160, 192, 224,  256,
                                 288, 320, 384, 416, 500, 512, 640, 672, 768, 800, 896, 1000, 1024};
constexpr std::array kDynamic = {0,      1,      100,    1024,   4096,   8192,  10000, 16384,
                                 20000,  33000,  40960,  49152,  49153,  65536, 80000, 101376,
                                 116736, 116737, 166912, 200000, 215040, 232448};
constexpr std::array kStatic = {0, 1, 1000, 8192, 20001, 49152};

using CountBlocks = decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor);

// The tuner itself never asks the driver, so this function is not among those that it loads.
CountBlocks load_count_blocks() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* function = library != nullptr
                       ? ::dlsym(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor")
                       : nullptr;
  if (function == nullptr) throw std::runtime_error("the driver has no occupancy function");
  return reinterpret_cast<CountBlocks>(function);
}

std::vector<int> value_counts() {
  std::vector<int> counts;
  for (int values = 1; values <= 250; values += values < 64 ? 3 : 10) counts.push_back(values);
  return counts;
}

CompileResult compile(Compiler& compiler, int static_shared, int architecture) {
  CompileJob job;
  job.label = fmt::format("{} bytes", static_shared);
  job.source = data_folder() / "tests" / "models" / "occupancy_kernels.cu";
  job.options = {"--std=c++17"};
  job.architecture = architecture;
  for (const int values : value_counts()) {
    job.entries.push_back(fmt::format("hold<{}, {}>", values, static_shared));
  }
  CompileResult result = compile_and_wait(compiler, std::move(job));
  if (result.status != CompileResult::Status::ok) throw std::runtime_error(result.reason);
  return result;
}

class Asker {
 public:
  Asker(const Driver& driver, const models::DeviceProfile& device)
      : driver_(driver), device_(device), count_blocks_(load_count_blocks()) {}

  nlohmann::json kernel(CUmodule module, const EntryFacts& facts) const {
    CUfunction function = nullptr;
    driver_.check(driver_.module_get_function(&function, module, facts.lowered_name.c_str()),
                  "cuModuleGetFunction of {}", facts.entry);
    const auto opt_in = static_cast<int>(device_.shared_per_block_optin - facts.static_shared);
    driver_.check(driver_.func_set_attribute(
                      function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, opt_in),
                  "cuFuncSetAttribute ({} bytes) of {}", opt_in, facts.entry);
    std::vector<int> blocks;
    for (const int threads : kThreads) {
      for (const int dynamic : kDynamic) blocks.push_back(resident(function, threads, dynamic));
    }
    return {{"registers", facts.registers},
            {"static_shared", facts.static_shared},
            {"driver_registers", attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS)},
            {"driver_static_shared", attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)},
            {"blocks", blocks}};
  }

 private:
  int attribute(CUfunction function, CUfunction_attribute which) const {
    int value = 0;
    driver_.check(driver_.func_get_attribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  }

  int resident(CUfunction function, int threads, int dynamic) const {
    int blocks = 0;
    const CUresult result =
        count_blocks_(&blocks, function, threads, static_cast<std::size_t>(dynamic));
    return result == CUDA_SUCCESS ? blocks : -1;
  }

  const Driver& driver_;
  const models::DeviceProfile& device_;
  CountBlocks count_blocks_;
};

void write_fixture(const std::string& file, int index) {
  const auto driver = load_driver();
  CUdevice handle = 0;
  driver->check(driver->device_get(&handle, index), "cuDeviceGet {}", index);
  const models::DeviceProfile device = device_profile(*driver, handle);
  const PrimaryContext context = retain_context(*driver, handle);
  const auto compiler = make_in_process_compiler({});
  const Asker asker(*driver, device);
  int version = 0;
  driver->check(driver->driver_get_version(&version), "cuDriverGetVersion");
  auto kernels = nlohmann::json::array();
  for (const int static_shared : kStatic) {
    const CompileResult compiled = compile(*compiler, static_shared, device.compute_capability);
    const Module module = load_module(*driver, read_file(compiled.cubin), "occupancy kernels");
    for (const EntryFacts& facts : compiled.entries) {
      kernels.push_back(asker.kernel(module.get(), facts));
    }
  }
  fmt::print("{} kernels, {} answers\n", kernels.size(),
             kernels.size() * kThreads.size() * kDynamic.size());
  const nlohmann::json fixture = {{"schema", "tuner.occupancy"},
                                  {"version", 1},
                                  {"device", device},
                                  {"driver", version},
                                  {"threads", kThreads},
                                  {"dynamic_shared", kDynamic},
                                  {"kernels", std::move(kernels)}};
  write_gzip_atomically(file, fixture.dump() + "\n");
}

}  // namespace
}  // namespace tuner

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "usage: occupancy_driver FILE.json.gz [DEVICE]\n");
    return 2;
  }
  try {
    tuner::write_fixture(argv[1], argc == 3 ? std::stoi(argv[2]) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
