// The launches of one run, resolved to functions of a loaded module, so that queueing them costs
// nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tuner/gpu/driver.h"
#include "tuner/kernel/element.h"
#include "tuner/kernel/plan.h"

namespace tuner {

// A launch that the device cannot take, seen before it was tried; what() says which limit it
// exceeds.
class LaunchRefused : public TunerError {
 public:
  explicit LaunchRefused(const std::string& reason)
      : TunerError(reason, ExitCode::no_valid_config) {}
};

// Where the arguments of a run are.
struct LaunchTarget {
  CUdeviceptr address = 0;
  std::int64_t bytes = 0;
  Element element = Element::u8;  // of a buffer: tensor maps need it
};
struct LaunchTargets {
  std::map<std::string, LaunchTarget> buffers, workspaces, reference_outputs;
};

// The arguments of a sequence's steps, in order, for one set of targets. The targets must outlive
// it.
struct BoundArguments {
  struct alignas(64) Argument {  // a tensor map is the largest, and is aligned so
    std::array<std::byte, 128> bytes{};
  };
  struct Step {
    std::vector<Argument> arguments;  // of a kernel
    CUdeviceptr memset_address = 0;
  };
  std::vector<Step> steps;
};

// Immutable once made; any thread may bind and queue. Driver, module and context must outlive it.
class LaunchSequence {
 public:
  // Everything about a kernel that can be refused before a launch is refused here: throws
  // LaunchRefused; DriverError; TunerError for a plan that names what is not there.
  LaunchSequence(const Driver& driver, const models::DeviceProfile& device, CUmodule module,
                 std::vector<LaunchStep> steps);

  // Throws TunerError for a plan that names what is not among the targets, LaunchRefused for a
  // memset beyond its target or a scalar that does not fit.
  BoundArguments bind(const LaunchTargets& targets) const;
  // Queues all steps once. Throws DriverError where the driver refuses one.
  void enqueue(const BoundArguments& arguments, CUstream stream) const;

 private:
  struct Function {  // of a kernel's step
    CUfunction function = nullptr;
    std::array<unsigned, 3> grid{}, block{};
    std::vector<CUlaunchAttribute> attributes;
  };

  Function load(CUmodule module, const LaunchStep& step) const;
  void check_shape(const Function& function, const LaunchStep& step) const;
  void allow_shared(const Function& function, const LaunchStep& step) const;
  BoundArguments::Argument make_argument(const LaunchArgument& argument,
                                         const LaunchTargets& targets) const;
  BoundArguments::Argument make_tensor_map(const TensorMapSpec& spec,
                                           const LaunchTargets& targets) const;
  void launch(std::size_t step, const BoundArguments::Step& bound, CUstream stream) const;

  const Driver& driver_;
  models::DeviceProfile device_;
  std::vector<LaunchStep> steps_;
  std::vector<Function> functions_;  // one for each step; empty for a memset
};

}  // namespace tuner
