// tuner list: the kernels that come with the tuner.
#include <fmt/format.h>

#include "tuner/cli/command.h"
#include "tuner/kernel/kernel.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& each : all) names.push_back(each.name);
  return names;
}

ExitCode run(const Output& output) {
  Table table({{"kernel"}, {"problem"}, {"parameters", Align::right}, {"what it does"}});
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const KernelDescription& kernel : built_in_kernels()) {
    const std::vector<std::string> axes = names_of(kernel.axes);
    table.add({kernel.name, fmt::format("{}", fmt::join(axes, " ")),
               fmt::format("{}", kernel.parameters.size()), kernel.summary});
    kernels.push_back({{"name", kernel.name},
                       {"summary", kernel.summary},
                       {"axes", axes},
                       {"parameters", names_of(kernel.parameters)},
                       {"file", kernel.file.string()}});
  }
  output.text(table.render(output.color()));
  output.json({{"kernels", kernels}});
  return ExitCode::ok;
}

}  // namespace

Action declare_list(CLI::App&) { return run; }

}  // namespace tuner
