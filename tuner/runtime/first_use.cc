#include "tuner/runtime/first_use.h"

#include <fmt/format.h>

#include <chrono>

#include "expr/error.h"
#include "tuner/os/child_process.h"

namespace tuner::runtime {
namespace {

// Beside the search: inputs are made, the reference is compiled and run, finalists are measured.
constexpr double kGraceSeconds = 120;
constexpr const char* kWentWell = "exit code 0";

}  // namespace

std::vector<std::string> tune_command(const FirstUse& how, const tuner::Kernel& kernel) {
  const KernelDescription& description = kernel.description();
  std::vector<std::string> command{how.executable.string(), "tune", description.file.string()};
  for (const auto& [name, value] : kernel.problem().axes) {
    const bool is_size = description.find_axis(name)->kind == Axis::Kind::size;
    command.insert(command.end(),
                   {is_size ? "--size" : "--with", fmt::format("{}={}", name, to_string(value))});
  }
  command.insert(command.end(),
                 {"--device", std::to_string(how.device), "--time", fmt::format("{}", how.seconds),
                  "--configs", how.configs.string(), "--quiet"});
  return command;
}

std::string tune_now(const FirstUse& how, const tuner::Kernel& kernel) {
  std::vector<std::pair<std::string, std::string>> environment;
  if (!how.data.empty()) environment.emplace_back("TUNER_DATA", how.data.string());
  try {
    ChildProcess process = ChildProcess::spawn(tune_command(how, kernel), environment);
    const auto limit = std::chrono::duration<double>(how.seconds + kGraceSeconds);
    const std::string end =
        process.wait(std::chrono::duration_cast<std::chrono::milliseconds>(limit));
    return end == kWentWell ? "" : end;
  } catch (const TunerError& error) {
    return error.what();
  }
}

}  // namespace tuner::runtime
