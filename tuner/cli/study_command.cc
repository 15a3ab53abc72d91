// tuner study: occupancy against instruction-level parallelism, measured where there is a GPU and
// predicted everywhere.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/data_output.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/report_page.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/study.h"
#include "tuner/report/vega_library.h"

namespace tuner {
namespace {

struct StudyFlags {
  ProblemOptions problem;
  DeviceOption device;
  DataOutput data;
  StudyOptions options;
  std::string cache = "cold", html, svg_folder;
};

nlohmann::ordered_json need_json(const StudyNeed& need) {
  nlohmann::ordered_json json = {{"ilp", need.ilp}, {"best_share", need.best}};
  json["occupancy_for_95_percent"] = nullptr;
  if (need.enough) json["occupancy_for_95_percent"] = *need.enough;
  json["occupancy_by_littles_law"] = nullptr;
  if (need.little) json["occupancy_by_littles_law"] = *need.little;
  return json;
}

nlohmann::ordered_json summary_json(const StudySummary& summary) {
  nlohmann::ordered_json needs = nlohmann::ordered_json::array();
  for (const StudyNeed& need : summary.needs) needs.push_back(need_json(need));
  return {{"peak", summary.peak}, {"needs", std::move(needs)}};
}

nlohmann::ordered_json point_json(const Study& study, const StudyPoint& point) {
  nlohmann::ordered_json json = {{"ilp", point.ilp},
                                 {"moved_by", to_string(point.knob)},
                                 {"config", point.config},
                                 {"threads", point.threads},
                                 {"registers", point.registers},
                                 {"register_limit", point.register_limit},
                                 {"spill_bytes", point.spill_bytes},
                                 {"ballast_bytes", point.ballast},
                                 {"blocks_per_sm", point.blocks_per_sm},
                                 {"warps_per_sm", point.warps_per_sm},
                                 {"occupancy", point.occupancy},
                                 {"littles_law_warps", point.little_warps},
                                 {"bound", point.bound},
                                 {"predicted_ms", point.predicted_ns * 1e-6},
                                 {"predicted", throughput(study, point.predicted_ns)}};
  json["time_ms"] = nullptr;
  json["measured"] = nullptr;
  if (point.measured()) {
    json["time_ms"] = point.time_ns * 1e-6;
    json["measured"] = throughput(study, point.time_ns);
  }
  if (!point.failure.empty()) json["failure"] = point.failure;
  return json;
}

nlohmann::ordered_json to_json(const Study& study, bool measured) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const StudyPoint& point : study.points) points.push_back(point_json(study, point));
  nlohmann::ordered_json json = {{"kernel", study.kernel},
                                 {"problem", study.problem},
                                 {"device", study.device},
                                 {"measured", measured},
                                 {"ilp_parameter", study.ilp_parameter},
                                 {"block_parameter", study.block_parameter},
                                 {"unit", study.unit},
                                 {"roof", study.roof},
                                 {"predicted_summary", summary_json(summarize(study, false))}};
  json["measured_summary"] = nullptr;
  if (measured) json["measured_summary"] = summary_json(summarize(study, true));
  json["notes"] = study.notes;
  json["points"] = std::move(points);
  return json;
}

// Without NVRTC the model has the registers that the kernel's description knows of.
Study predict(const StudyFlags& flags, const Kernel& kernel, const StudyPlan& plan) {
  try {
    const std::unique_ptr<Compiler> compiler = make_compiler_pool({});
    return run_study(kernel, flags.options, plan, compiler.get(), nullptr);
  } catch (const TunerError& error) {
    if (error.exit_code() != ExitCode::no_device) throw;
    Study study = run_study(kernel, flags.options, plan, nullptr, nullptr);
    study.notes.push_back(
        fmt::format("Nothing was compiled, so registers and spills are unknown: {}", error.what()));
    return study;
  }
}

Study measure(const StudyFlags& flags, const Kernel& kernel, const StudyPlan& plan,
              ChosenDevice device) {
  MeasuringFlags measuring;
  measuring.cache = flags.cache;
  device.gpus.resize(1);
  Bench bench(measuring, std::move(device));
  const auto measurers = bench.set_up(kernel, measuring.options().cache);
  return run_study(kernel, flags.options, plan, &bench.compiler(), measurers.front());
}

void write_pages(const StudyFlags& flags, const Study& study) {
  if (!flags.html.empty()) {
    write_file_atomically(flags.html, study_page(study).html(vega_script()));
  }
  if (!flags.svg_folder.empty()) write_svgs({study_chart(study)}, flags.svg_folder);
}

ExitCode run(StudyFlags flags, const Output& output) {
  flags.data.check();
  if (!flags.html.empty()) check_writable(flags.html);
  flags.options.cold = flags.cache == "cold";
  KernelDescription description = find_kernel(flags.problem.kernel);
  Problem problem = resolve_problem(description, flags.problem.single_problem());
  ChosenDevice device = flags.device.choose();
  Kernel kernel(std::move(description), std::move(problem), device.profile);
  kernel = kernel.with_space(flags.problem.narrow(kernel.space()));
  const StudyPlan plan = plan_study(kernel, flags.options);
  const bool measured = !device.gpus.empty();
  const Study study =
      measured ? measure(flags, kernel, plan, std::move(device)) : predict(flags, kernel, plan);
  for (const std::string& note : study.notes) spdlog::warn("{}", note);
  const std::array<PageTable, 2> tables = {needs_table(study), points_table(study)};
  flags.data.write(output, tables, study_text(study, output.color()));
  output.json(to_json(study, measured));
  write_pages(flags, study);
  return ExitCode::ok;
}

}  // namespace

Action declare_study(CLI::App& app) {
  auto flags = std::make_shared<StudyFlags>();
  flags->problem.add_to(app);
  flags->device.add_to(app);
  app.add_option("--ilp", flags->options.ilp,
                 "parameter that makes independent chains; found by the model where left out")
      ->type_name("NAME");
  app.add_option("--block", flags->options.block, "parameter of the block size, likewise")
      ->type_name("NAME");
  app.add_option("--cache", flags->cache, "whether inputs are in the GPU's cache when a run begins")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  flags->data.add_to(app);
  app.add_option("--html", flags->html, "also as a page, all in one file")->type_name("FILE");
  app.add_option("--svg", flags->svg_folder, "also the plot as a file in this folder")
      ->type_name("FOLDER");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
