// tuner space: a kernel's parameters, and how many of their combinations are valid.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/value_json.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

struct SpaceOptions {
  ProblemOptions problem;
  DeviceOption device;
};

void describe_parameters(const Kernel& kernel, const search::Space& space, Table& table,
                         nlohmann::ordered_json& json) {
  json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const search::Parameter& parameter = space.parameters()[i];
    const ParameterSpec& spec = kernel.description().parameters[i];
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    std::vector<std::string> texts;
    for (const Value& value : parameter.values) {
      values.push_back(value_json(value));
      texts.push_back(to_string(value));
    }
    const Value& standard = parameter.values[parameter.default_index];
    table.add(
        {parameter.name, fmt::format("{}", fmt::join(texts, " ")), to_string(standard), spec.help});
    json.push_back({{"name", parameter.name},
                    {"values", values},
                    {"default", value_json(standard)},
                    {"help", spec.help}});
  }
}

ExitCode run(const SpaceOptions& options, const Output& output) {
  const KernelDescription description = find_kernel(options.problem.kernel);
  const Problem problem = resolve_problem(description, options.problem.single_problem());
  const Kernel kernel(description, problem, options.device.resolve());
  const search::Space space = options.problem.narrow(kernel.space());

  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t valid = space.count();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;

  Table table({{"parameter"}, {"values"}, {"default"}, {"what it is"}});
  nlohmann::ordered_json parameters;
  describe_parameters(kernel, space, table, parameters);
  output.text(
      fmt::format("{}  {}  on {} (sm_{})\n\n{}\n{:.0f} combinations, {} valid (counted in "
                  "{:.3g} ms)\n",
                  description.name, to_string(problem), kernel.device().name,
                  kernel.device().compute_capability, table.render(output.color()),
                  space.cartesian(), valid, took.count()));
  output.json({{"kernel", description.name},
               {"problem", problem_json(problem)},
               {"device", device_json(kernel.device())},
               {"cartesian", space.cartesian()},
               {"valid", valid},
               {"enumerate_ms", took.count()},
               {"parameters", parameters}});
  return ExitCode::ok;
}

}  // namespace

Action declare_space(CLI::App& app) {
  const auto options = std::make_shared<SpaceOptions>();
  options->problem.add_to(app);
  options->device.add_to(app);
  return [options](const Output& output) { return run(*options, output); };
}

}  // namespace tuner
