// The launches of one run, resolved to functions and addresses, so that queueing them costs nothing
// else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/measure/element.h"
#include "tuner/measure/gpu.h"

namespace tuner {

// Where the arguments of a run are.
struct LaunchTarget {
  CUdeviceptr address = 0;
  std::int64_t bytes = 0;
  Element element = Element::u8;  // of a buffer: tensor maps need it
};
struct LaunchTargets {
  std::map<std::string, LaunchTarget> buffers, workspaces, reference_outputs;
};

class LaunchSequence {
 public:
  // Everything that can be refused before a launch is refused here: throws TrialFailure (status
  // "launch_error", not fatal) saying which limit a kernel exceeds; DriverError; TunerError for a
  // plan that names what is not there. The module and the targets must outlive it.
  LaunchSequence(const Gpu& gpu, CUmodule module, const std::vector<LaunchStep>& steps,
                 const LaunchTargets& targets);

  // Queues all steps once. Throws DriverError where the driver refuses one.
  void enqueue() const;

 private:
  struct alignas(64) ArgumentBytes {  // a tensor map is the largest, and is aligned so
    std::array<std::byte, 128> bytes{};
  };
  struct Kernel {
    std::string name;
    CUfunction function = nullptr;
    std::array<unsigned, 3> grid{}, block{};
    unsigned dynamic_shared = 0;
    std::vector<CUlaunchAttribute> attributes;
    std::vector<ArgumentBytes> arguments;
  };
  struct Memset {
    CUdeviceptr address = 0;
    std::int64_t bytes = 0;
    std::uint8_t value = 0;
  };
  struct Step {
    Kernel kernel;  // where `function` is not null
    Memset memset;
  };

  Kernel make_kernel(CUmodule module, const LaunchStep& step, const LaunchTargets& targets) const;
  void check_shape(const Kernel& kernel, const LaunchStep& step) const;
  void allow_shared(const Kernel& kernel, const LaunchStep& step) const;
  ArgumentBytes make_argument(const LaunchArgument& argument, const LaunchTargets& targets) const;
  ArgumentBytes make_tensor_map(const TensorMapSpec& spec, const LaunchTargets& targets) const;
  void launch(const Kernel& kernel) const;

  const Gpu& gpu_;
  std::vector<Step> steps_;
};

// The bytes of a scalar argument, little-endian. Throws TrialFailure where an integer does not fit
// its type, TunerError for text or an unknown type.
std::vector<std::byte> encode_scalar(const std::string& name, const std::string& type,
                                     const Value& value);

}  // namespace tuner
