// tuner export: tuned configurations as a header for other programs' builds.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/embed/identifiers.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/export_cubins.h"
#include "tuner/pipeline/exporting.h"
#include "tuner/store/configs_folders.h"

namespace tuner {
namespace {

struct ExportFlags {
  std::vector<std::string> kernels, gpus;
  std::string output, cubins, configs, cache = "any", name_space = "tuned";
};

ExportRequest request_of(const ExportFlags& flags) {
  ExportRequest request;
  for (const std::string& kernel : flags.kernels) request.kernels.push_back(find_kernel(kernel));
  request.folders = configs_folders(flags.configs).search;
  if (!flags.configs.empty()) request.folders.resize(1);  // that one, and no other's
  request.cache = flags.cache;
  request.gpus = flags.gpus;
  request.profiles = known_profiles();
  return request;
}

void warn_of(const ExportOutcome& outcome) {
  for (const std::string& warning : outcome.warnings) spdlog::warn("{}", warning);
}

nlohmann::ordered_json summary(const ExportOutcome& outcome, const ExportFlags& flags) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const ExportedKernel& kernel : outcome.kernels) {
    nlohmann::ordered_json ids = nlohmann::ordered_json::array();
    for (const ExportedConfig& config : kernel.configs) ids.push_back(config.id);
    kernels.push_back({{"kernel", kernel.description.name}, {"configurations", ids}});
  }
  return {{"file", flags.output}, {"kernels", kernels}, {"left_out", outcome.warnings}};
}

// Nothing of a header is needed for these, so that kernels which have none are taken, too.
void write_cubins(const ExportFlags& flags, const Output& output) {
  ExportRequest request = request_of(flags);
  request.code = false;
  const ExportOutcome outcome = gather_exports(request);
  if (flags.output.empty()) warn_of(outcome);
  const auto compiler = make_compiler_pool({});
  const std::size_t count = export_cubins(outcome.kernels, *compiler, flags.cubins);
  output.text(fmt::format("{} cubins in {}\n", count, flags.cubins));
  if (flags.output.empty()) {
    nlohmann::ordered_json json = summary(outcome, flags);
    json["cubins"] = count;
    output.json(json);
  }
}

ExitCode run(const ExportFlags& flags, const Output& output) {
  if (flags.output.empty() && flags.cubins.empty()) {
    throw TunerError("Nothing to write: give --output FILE for a header, --cubins DIR for cubins");
  }
  if (cpp_identifier(flags.name_space) != flags.name_space) {
    throw TunerError(
        fmt::format("--namespace {}: this is no name that C++ could use", flags.name_space));
  }
  if (!flags.cubins.empty()) write_cubins(flags, output);
  if (flags.output.empty()) return ExitCode::ok;
  const ExportOutcome outcome = gather_exports(request_of(flags));
  warn_of(outcome);
  const std::string header = export_header(outcome.kernels, flags.name_space);
  if (flags.output == "-") {
    fmt::print("{}", header);
    return ExitCode::ok;
  }
  // A build looks at times: what is the same is left alone.
  std::error_code error;
  const bool same =
      std::filesystem::exists(flags.output, error) && read_file(flags.output) == header;
  if (!same) write_file_atomically(flags.output, header);
  std::string text;
  for (const ExportedKernel& kernel : outcome.kernels) {
    text += fmt::format("{}: {} configurations\n", kernel.description.name, kernel.configs.size());
  }
  output.text(text + fmt::format("{} {}\n", same ? "unchanged:" : "written to", flags.output));
  output.json(summary(outcome, flags));
  return ExitCode::ok;
}

}  // namespace

Action declare_export(CLI::App& app) {
  auto flags = std::make_shared<ExportFlags>();
  app.add_option("KERNEL", flags->kernels, "built-in kernels, or paths of described ones")
      ->required();
  app.add_option("-o,--output", flags->output, "the header to write; - for stdout");
  app.add_option("--cubins", flags->cubins,
                 "folder to compile the configurations into, for programs that link tuner::runtime "
                 "and find no NVRTC")
      ->type_name("DIR");
  app.add_option("--configs", flags->configs, "folder of tuned results; no other is looked into");
  app.add_option("--gpu", flags->gpus, "only results of these GPUs, by file name (h200)")
      ->delimiter(',');
  app.add_option("--cache", flags->cache,
                 "results measured with this cache; any: cold where there is one")
      ->check(CLI::IsMember({"any", "cold", "warm"}))
      ->capture_default_str();
  app.add_option("--namespace", flags->name_space, "that the kernels' namespaces stand in")
      ->capture_default_str();
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
