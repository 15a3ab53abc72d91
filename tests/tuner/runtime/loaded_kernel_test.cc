// Launching through a driver that only notes what it is asked for.
#include "tuner/runtime/loaded_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>

namespace tuner::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr CUdeviceptr kIn = 0x1000;
constexpr CUdeviceptr kOut = 0x2000;
constexpr int kMostThreads = 512;

struct Noted {
  std::string what;  // "launch", "memset", "copy"
  CUstream stream = nullptr;
  CUdeviceptr target = 0;
  std::size_t bytes = 0;
  std::vector<std::uint64_t> arguments = {};  // of a launch: the first 8 bytes of each
  unsigned grid = 0, block = 0;
};

// One at a time: the driver's functions have no other place for what they note.
class FakeDriver {
 public:
  FakeDriver() {
    fake = this;
    driver.get_error_name = [](CUresult, const char** text) { return named(text); };
    driver.get_error_string = [](CUresult, const char** text) { return named(text); };
    driver.module_load_data = [](CUmodule* module, const void*) {
      *module = reinterpret_cast<CUmodule>(static_cast<std::uintptr_t>(++fake->modules_made));
      return CUDA_SUCCESS;
    };
    driver.module_unload = [](CUmodule) {
      ++fake->modules_unloaded;
      return CUDA_SUCCESS;
    };
    driver.module_get_function = [](CUfunction* function, CUmodule module, const char*) {
      *function = reinterpret_cast<CUfunction>(module);
      return CUDA_SUCCESS;
    };
    driver.module_get_global = [](CUdeviceptr* address, std::size_t* size, CUmodule module,
                                  const char*) {
      *address = 0x100000 * reinterpret_cast<std::uintptr_t>(module);
      *size = 64;
      return CUDA_SUCCESS;
    };
    driver.func_get_attribute = [](int* value, CUfunction_attribute which, CUfunction) {
      *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? kMostThreads : 0;
      return CUDA_SUCCESS;
    };
    driver.func_set_attribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
    driver.mem_alloc = [](CUdeviceptr* address, std::size_t bytes) {
      *address = fake->next_address;
      fake->next_address += bytes + 256;
      fake->allocated.insert(*address);
      return CUDA_SUCCESS;
    };
    driver.mem_free = [](CUdeviceptr address) {
      fake->allocated.erase(address);
      return CUDA_SUCCESS;
    };
    driver.memset_bytes = [](CUdeviceptr target, unsigned char, std::size_t bytes,
                             CUstream stream) {
      return note({"memset", stream, target, bytes});
    };
    driver.memcpy_on_device = [](CUdeviceptr target, CUdeviceptr source, std::size_t bytes,
                                 CUstream stream) {
      return note({"copy", stream, target, bytes, {source}});
    };
    driver.launch_kernel = [](const CUlaunchConfig* config, CUfunction, void** arguments, void**) {
      Noted launch{"launch", config->hStream};
      launch.grid = config->gridDimX;
      launch.block = config->blockDimX;
      for (std::size_t i = 0; i < fake->argument_count; ++i) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, arguments[i], sizeof bytes);
        launch.arguments.push_back(bytes);
      }
      return note(std::move(launch));
    };
  }
  ~FakeDriver() { fake = nullptr; }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  std::vector<Noted> noted_as(const std::string& what) const {
    std::vector<Noted> found;
    for (const Noted& one : noted) {
      if (one.what == what) found.push_back(one);
    }
    return found;
  }

  Driver driver;
  std::size_t argument_count = 3;
  std::vector<Noted> noted;
  std::set<CUdeviceptr> allocated;
  CUdeviceptr next_address = 0x10000;
  int modules_made = 0, modules_unloaded = 0;

 private:
  static CUresult named(const char** text) {
    *text = "fake";
    return CUDA_SUCCESS;
  }
  static CUresult note(Noted one) {
    const std::lock_guard lock(fake->mutex_);
    fake->noted.push_back(std::move(one));
    return CUDA_SUCCESS;
  }

  inline static FakeDriver* fake = nullptr;
  std::mutex mutex_;
};

CUstream stream_of(std::uintptr_t number) { return reinterpret_cast<CUstream>(number << 8); }

LaunchArgument buffer(const std::string& name) {
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::buffer;
  argument.name = name;
  return argument;
}

LaunchArgument workspace(const std::string& name) {
  LaunchArgument argument = buffer(name);
  argument.kind = LaunchArgument::Kind::workspace;
  return argument;
}

LaunchArgument count(std::int64_t value) {
  LaunchArgument argument;
  argument.name = "count";
  argument.value = value;
  return argument;
}

LaunchStep step(std::vector<LaunchArgument> arguments) {
  LaunchStep step;
  step.lowered_name = "kernel";
  step.grid = {7, 1, 1};
  step.block = {128, 1, 1};
  step.arguments = std::move(arguments);
  return step;
}

LaunchPlan plan_of(std::vector<LaunchStep> steps) {
  LaunchPlan plan;
  plan.steps = std::move(steps);
  return plan;
}

class LoadedKernelTest : public testing::Test {
 protected:
  std::unique_ptr<LoadedKernel> load(const LaunchPlan& plan) {
    models::DeviceProfile device;
    device.compute_capability = 90;
    device.shared_per_block_optin = 232448;
    BufferSpec in;
    in.name = "in";
    in.count = 10;
    BufferSpec out = in;
    out.name = "out";
    const std::shared_ptr<const Driver> driver(&fake_.driver, [](const Driver*) {});
    return std::make_unique<LoadedKernel>(driver, device, plan, std::vector{in, out}, "image");
  }

  FakeDriver fake_;
};

TEST_F(LoadedKernelTest, PassesPointersAndScalarsInTheKernelsOrder) {
  const auto kernel = load(plan_of({step({buffer("out"), count(10), buffer("in")})}));
  kernel->launch(stream_of(1), {kIn, kOut});
  ASSERT_EQ(fake_.noted.size(), 1U);
  EXPECT_THAT(fake_.noted[0].arguments, ElementsAre(kOut, 10U, kIn));
  EXPECT_EQ(fake_.noted[0].stream, stream_of(1));
  EXPECT_EQ(fake_.noted[0].grid, 7U);
  EXPECT_EQ(fake_.noted[0].block, 128U);
}

TEST_F(LoadedKernelTest, TakesOtherPointersTheNextTime) {
  const auto kernel = load(plan_of({step({buffer("in"), buffer("out"), count(3)})}));
  for (const CUdeviceptr moved : {0, 0, 64}) kernel->launch(nullptr, {kIn + moved, kOut});
  ASSERT_EQ(fake_.noted.size(), 3U);
  EXPECT_EQ(fake_.noted[1].arguments[0], kIn);
  EXPECT_EQ(fake_.noted[2].arguments[0], kIn + 64);
}

TEST_F(LoadedKernelTest, EachStreamHasItsOwnWorkspaces) {
  LaunchPlan plan = plan_of({step({buffer("in"), workspace("once"), workspace("each")})});
  plan.workspaces = {{"once", 4, "once"}, {"each", 100, "each_run"}};
  auto kernel = load(plan);
  kernel->launch(stream_of(1), {kIn, kOut});
  kernel->launch(stream_of(2), {kIn, kOut});
  kernel->launch(stream_of(1), {kIn, kOut});
  const std::vector<Noted> launches = fake_.noted_as("launch");
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].arguments, launches[2].arguments);
  EXPECT_NE(launches[0].arguments[1], launches[1].arguments[1]);
  EXPECT_NE(launches[0].arguments[2], launches[1].arguments[2]);
  // "once" when it was allocated, "each" then and before each run.
  std::size_t once = 0;
  for (const Noted& memset : fake_.noted_as("memset")) once += memset.bytes == 4 ? 1 : 0;
  EXPECT_EQ(once, 2U);
  EXPECT_GE(fake_.noted_as("memset").size() - once, 3U);
  EXPECT_EQ(fake_.allocated.size(), 4U);
  kernel.reset();
  EXPECT_THAT(fake_.allocated, IsEmpty());
  EXPECT_EQ(fake_.modules_unloaded, fake_.modules_made);
}

TEST_F(LoadedKernelTest, TheDefaultStreamOfEachThreadIsAnother) {
  LaunchPlan plan = plan_of({step({buffer("in"), buffer("out"), workspace("partial")})});
  plan.workspaces = {{"partial", 4, "never"}};
  const auto kernel = load(plan);
  kernel->launch(CU_STREAM_PER_THREAD, {kIn, kOut});
  std::thread([&] { kernel->launch(CU_STREAM_PER_THREAD, {kIn, kOut}); }).join();
  ASSERT_EQ(fake_.noted.size(), 2U);
  EXPECT_NE(fake_.noted[0].arguments[2], fake_.noted[1].arguments[2]);
}

TEST_F(LoadedKernelTest, ConstantsAreOfEachStreamsOwnModule) {
  fake_.argument_count = 1;
  LaunchPlan plan = plan_of({step({buffer("out")})});
  plan.symbols = {{"factors", "in"}};
  const auto kernel = load(plan);
  kernel->launch(stream_of(1), {kIn, kOut});
  kernel->launch(stream_of(2), {kIn, kOut});
  const std::vector<Noted> copies = fake_.noted_as("copy");
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].bytes, 40U);
  EXPECT_THAT(copies[0].arguments, ElementsAre(kIn));
  EXPECT_NE(copies[0].target, copies[1].target);
}

TEST_F(LoadedKernelTest, StepsOfOneLaunchStayTogether) {
  fake_.argument_count = 1;
  const auto kernel = load(plan_of({step({buffer("in")}), step({buffer("out")})}));
  {
    std::vector<std::jthread> threads;
    for (CUdeviceptr thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 200; ++i) {
          kernel->launch(stream_of(1), {kIn + 256 * thread, kIn + 256 * thread});
        }
      });
    }
  }
  ASSERT_EQ(fake_.noted.size(), 1600U);
  for (std::size_t i = 0; i < fake_.noted.size(); i += 2) {
    ASSERT_EQ(fake_.noted[i].arguments, fake_.noted[i + 1].arguments) << i;
  }
}

TEST_F(LoadedKernelTest, AMemsetIsAStep) {
  LaunchStep memset;
  memset.kind = LaunchStep::Kind::memset;
  memset.memset_target = "out";
  memset.memset_bytes = 40;
  fake_.argument_count = 1;
  const auto kernel = load(plan_of({memset, step({buffer("out")})}));
  kernel->launch(nullptr, {kIn, kOut});
  ASSERT_EQ(fake_.noted.size(), 2U);
  EXPECT_EQ(fake_.noted[0].target, kOut);
  EXPECT_EQ(fake_.noted[0].bytes, 40U);
  EXPECT_EQ(fake_.noted[1].what, "launch");
}

TEST_F(LoadedKernelTest, RefusesWhatTheDeviceDoesNotAllow) {
  const auto refusal = [&](const LaunchStep& refused) -> std::string {
    try {
      load(plan_of({refused}));
    } catch (const LaunchRefused& error) {
      return error.what();
    }
    return "";
  };
  LaunchStep wide = step({});
  wide.block = {kMostThreads + 1, 1, 1};
  EXPECT_THAT(refusal(wide), HasSubstr("513 threads"));
  LaunchStep large = step({});
  large.dynamic_shared = 300000;
  EXPECT_THAT(refusal(large), HasSubstr("300000 bytes"));
  LaunchStep empty = step({});
  empty.grid = {0, 1, 1};
  EXPECT_THAT(refusal(empty), HasSubstr("grid 0"));
  EXPECT_EQ(fake_.modules_unloaded, fake_.modules_made);
}

}  // namespace
}  // namespace tuner::runtime
