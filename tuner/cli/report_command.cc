// tuner report: measured files as one HTML page, or as plots.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/report_page.h"
#include "tuner/os/files.h"
#include "tuner/report/escape.h"
#include "tuner/report/vega_library.h"

namespace tuner {
namespace {

struct ReportFlags {
  std::vector<std::string> files;
  std::string output, svg_folder;
  ReportOptions options;
  std::string device;
};

ExitCode run(ReportFlags flags, const Output& output) {
  if (flags.output.empty() && flags.svg_folder.empty()) {
    throw TunerError("nothing to write: give -o report.html, --svg FOLDER, or both");
  }
  if (!flags.output.empty()) check_writable(flags.output);
  flags.options.devices = known_profiles();
  if (!flags.device.empty()) {
    flags.options.device = DeviceOption{flags.device}.choose().profile;
  }
  const ReportContent content = report_content(flags.files, flags.options);
  nlohmann::ordered_json json = {{"files", flags.files}, {"notes", content.notes}};
  for (const std::string& note : content.notes) spdlog::warn("{}", terminal_safe(note));
  if (!flags.output.empty()) {
    const auto vega = vega_script();
    if (!vega) spdlog::warn("{}", how_to_install_vega());
    write_file_atomically(flags.output, content.page.html(vega));
    output.text(fmt::format("report in {}\n", flags.output));
    json["html"] = flags.output;
    json["vega"] = vega.has_value();
  }
  if (!flags.svg_folder.empty()) {
    json["svg"] = write_svgs(content.charts, flags.svg_folder);
    output.text(fmt::format("{} plots in {}\n", json["svg"].size(), flags.svg_folder));
  }
  output.json(json);
  return ExitCode::ok;
}

}  // namespace

Action declare_report(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  app.add_option("FILE", flags->files, "journals, recordings and tuned results")->required();
  app.add_option("-o,--output", flags->output, "the page, all in one file")->type_name("FILE");
  app.add_option("--svg", flags->svg_folder, "also each plot as a file of its own in this folder")
      ->type_name("FOLDER");
  app.add_option(
      "--kernel", flags->options.kernel,
      "the kernel's folder, where it is no built-in one; default: the file's name for it");
  app.add_option("--device", flags->device,
                 "profile of the GPU that a journal is from, where its name is not known")
      ->type_name("DEVICE");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
