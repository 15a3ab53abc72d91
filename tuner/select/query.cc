#include "tuner/select/query.h"

#include "expr/error.h"
#include "tuner/compile/compiler.h"

namespace tuner {

ResultDevice result_device(const models::DeviceProfile& device, const std::string& driver) {
  return {device.name, device.compute_capability, device.sm_count, device.memory_bytes, driver};
}

NamedValues named_values(const Kernel& kernel, const search::Config& config) {
  NamedValues values;
  const auto& parameters = kernel.space().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values.emplace_back(parameters[i].name, kernel.space().value(config, i));
  }
  return values;
}

std::string kernel_hash(const KernelDescription& description) {
  std::vector<std::string> options;
  for (const Text& option : description.options) options.push_back(option.text);
  for (const auto& [name, value] : description.defines)
    options.push_back("-D" + name + "=" + value.text);
  for (const DefinitionSpec& definition : description.definitions)
    options.push_back(definition.name + "=" + definition.value.text);
  for (const StepSpec& step : description.steps) options.push_back(step.entry.text);
  return source_hash(description.source, description.include_dirs, options);
}

LookupQuery lookup_query(const Kernel& kernel, const std::string& cache) {
  LookupQuery query;
  query.kernel = kernel.description().name;
  query.problem = kernel.problem().axes;
  query.cache = cache;
  query.device = result_device(kernel.device(), "");
  query.source_hash = kernel_hash(kernel.description());
  for (const Axis& axis : kernel.description().axes) {
    if (!axis.exact) query.nearest_axes.push_back(axis.name);
  }
  query.is_valid = [&kernel](const NamedValues& values) {
    try {
      return kernel.space().contains(kernel.space().from_values(values));
    } catch (const TunerError&) {
      return false;  // a parameter or value that the kernel no longer has
    }
  };
  return query;
}

}  // namespace tuner
