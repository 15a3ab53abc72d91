// tuner study: occupancy against instruction-level parallelism, measured where there is a GPU and
// predicted everywhere.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <vector>

#include "tuner/cli/command.h"
#include "tuner/cli/counters_option.h"
#include "tuner/cli/data_output.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/problem_options.h"
#include "tuner/cli/report_page.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/setup.h"
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
  bool counters = false;
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

nlohmann::ordered_json widths_json(const std::vector<WidthNeed>& needs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const WidthNeed& need : needs) {
    nlohmann::ordered_json one = {{"load_bytes", need.load_bytes}, {"best_share", need.best}};
    one["bytes_in_flight_per_sm_for_95_percent"] = nullptr;
    if (need.enough) one["bytes_in_flight_per_sm_for_95_percent"] = *need.enough;
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::ordered_json spills_json(const Study& study) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SpillLimit& limit : spill_limits(study)) {
    all.push_back({{"ilp", limit.ilp},
                   {"spills_at_registers", limit.spills_at},
                   {"occupancy", limit.occupancy}});
  }
  return all;
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
                                 {"load_bytes", point.load_bytes},
                                 {"bytes_in_flight_per_sm", point.in_flight},
                                 {"littles_law_bytes_in_flight_per_sm", point.needed_in_flight},
                                 {"bound", point.bound},
                                 {"predicted_ms", point.predicted_ns * 1e-6},
                                 {"predicted", throughput(study, point.predicted_ns)}};
  json["time_ms"] = nullptr;
  json["measured"] = nullptr;
  if (point.measured()) {
    json["time_ms"] = point.time_ns * 1e-6;
    json["measured"] = throughput(study, point.time_ns);
  }
  if (point.counters) json["counters"] = counters_json(*point.counters);
  if (!point.failure.empty()) json["failure"] = point.failure;
  return json;
}

nlohmann::ordered_json to_json(const Study& study, bool measured) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const StudyPoint& point : study.points) points.push_back(point_json(study, point));
  nlohmann::ordered_json width_points = nlohmann::ordered_json::array();
  for (const StudyPoint& point : study.width_points) {
    width_points.push_back(point_json(study, point));
  }
  nlohmann::ordered_json json = {{"kernel", study.kernel},
                                 {"problem", study.problem},
                                 {"device", study.device},
                                 {"measured", measured},
                                 {"ilp_parameter", study.ilp_parameter},
                                 {"block_parameter", study.block_parameter},
                                 {"width_parameter", study.width_parameter},
                                 {"unit", study.unit},
                                 {"roof", study.roof},
                                 {"predicted_summary", summary_json(summarize(study, false))}};
  json["measured_summary"] = nullptr;
  if (measured) json["measured_summary"] = summary_json(summarize(study, true));
  json["notes"] = study.notes;
  json["predicted_widths"] = widths_json(width_needs(study, false));
  json["measured_widths"] = nullptr;
  if (measured) json["measured_widths"] = widths_json(width_needs(study, true));
  json["spills"] = spills_json(study);
  json["points"] = std::move(points);
  json["width_points"] = std::move(width_points);
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
  const ReadCounters read = counters_if(flags.counters, device);
  const int gpu = device.gpus.front();
  Bench bench(measuring, std::move(device));
  const auto measurers = bench.set_up(kernel, measuring.options().cache);
  StudyOptions options = flags.options;
  if (read) {
    const MeasureSetup setup = make_setup(kernel, bench.compiler(), measuring.options().cache, gpu);
    options.counters = [read, setup](const MeasureJob& job) { return read(setup, job); };
  }
  return run_study(kernel, options, plan, &bench.compiler(), measurers.front());
}

void write_pages(const StudyFlags& flags, const Study& study) {
  if (!flags.html.empty()) {
    write_file_atomically(flags.html, study_page(study).html(vega_script()));
  }
  if (!flags.svg_folder.empty()) write_svgs(study_charts(study), flags.svg_folder);
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
  counters_if(flags.counters, device);  // what is missing is told before anything is compiled
  const bool measured = !device.gpus.empty();
  const Study study =
      measured ? measure(flags, kernel, plan, std::move(device)) : predict(flags, kernel, plan);
  for (const std::string& note : study.notes) spdlog::warn("{}", note);
  std::vector<PageTable> tables = {needs_table(study)};
  if (PageTable widths = widths_table(study); !widths.rows.empty()) tables.push_back(widths);
  tables.push_back(points_table(study));
  if (PageTable counters = study_counters_table(study); !counters.rows.empty()) {
    tables.push_back(std::move(counters));
  }
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
  app.add_option("--width", flags->options.width,
                 "parameter of the width of loads, for the curves by bytes in flight, likewise")
      ->type_name("NAME");
  app.add_option("--cache", flags->cache, "whether inputs are in the GPU's cache when a run begins")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  add_counters_flag(app, flags->counters);
  flags->data.add_to(app);
  app.add_option("--html", flags->html, "also as a page, all in one file")->type_name("FILE");
  app.add_option("--svg", flags->svg_folder, "also the plots as files in this folder")
      ->type_name("FOLDER");
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
