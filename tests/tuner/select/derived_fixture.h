// Kernels that ship, with and without their models, compiled in this process.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/estimate.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/select/build.h"

namespace tuner {

using Given = std::vector<std::pair<std::string, std::string>>;
using Values = std::vector<std::pair<std::string, Value>>;

inline models::DeviceProfile device(const std::string& id) {
  return models::load_device_profile(std::filesystem::path(TUNER_SOURCE) / "configs/devices" /
                                     (id + ".json"));
}

// `bare`: as if nobody had written the launches' models.
inline Kernel make_kernel(const std::string& folder, const Given& given, bool bare,
                          const std::string& device_id = "h200") {
  KernelDescription description =
      load_kernel_description(std::filesystem::path(TUNER_SOURCE) / folder);
  if (bare) {
    for (StepSpec& step : description.steps) {
      ModelSpec none;
      none.loops = std::move(step.model.loops);  // definitions may name their variables
      step.model = std::move(none);
    }
  }
  Problem problem = resolve_problem(description, given);
  return {std::move(description), std::move(problem), device(device_id)};
}

class DerivedTest : public testing::Test {
 protected:
  models::KernelShape compiled_shape(const Kernel& kernel, const search::Config& config) {
    const CompileResult result =
        compile_and_wait(*compiler_, compile_job(kernel.build(config), kernel.space().id(config),
                                                 kernel.device().compute_capability));
    EXPECT_EQ(result.status, CompileResult::Status::ok) << result.reason;
    if (result.status != CompileResult::Status::ok) return {};
    return kernel.shape(config, compiled_entries_with_ptx(result));
  }

  // What the estimate knew before anything was derived: registers, occupancy, useful work.
  static models::KernelShape without_derived(models::KernelShape shape) {
    for (models::LaunchShape& launch : shape.launches) {
      launch.accesses.clear();
      launch.fma_per_thread = launch.instructions_per_thread = launch.barriers_per_block = 0;
      launch.ilp = launch.loads_in_flight = 1;
      launch.derived.reset();
    }
    return shape;
  }

  // What compiling told, of a shape that was made with it.
  static std::vector<CompiledEntry> facts_of(const models::KernelShape& shape, const Kernel& kernel,
                                             const search::Config& config) {
    std::vector<CompiledEntry> entries;
    const std::vector<std::string> names = kernel.build(config).entries;
    for (std::size_t i = 0; i < names.size() && i < shape.launches.size(); ++i) {
      const models::LaunchShape& launch = shape.launches[i];
      entries.push_back({names[i], names[i], launch.registers.value_or(0),
                         launch.static_shared.value_or(0), launch.spill_bytes});
    }
    return entries;
  }

  // The default, but for `values`.
  static search::Config config_with(const Kernel& kernel, const Values& values) {
    const search::Space& space = kernel.space();
    const search::Config standard = space.default_config();
    Values all;
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
      const std::string& name = space.parameters()[i].name;
      const auto given = std::find_if(values.begin(), values.end(),
                                      [&](const auto& one) { return one.first == name; });
      all.emplace_back(name, given == values.end() ? space.value(standard, i) : given->second);
    }
    return space.from_values(all);
  }

  double derived_ns(const Kernel& bare, const Values& values) {
    return models::estimate(bare.device(), compiled_shape(bare, config_with(bare, values))).time_ns;
  }

 private:
  const TemporaryFolder folder_;
  const std::unique_ptr<Compiler> compiler_ = [this] {
    CompilerPoolOptions options;
    options.cache_folder = folder_.path();
    return make_in_process_compiler(options);
  }();
};

}  // namespace tuner
