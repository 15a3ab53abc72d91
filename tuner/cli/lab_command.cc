// tuner lab: the classic experiments, measured where there is a GPU and predicted everywhere.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/counters_option.h"
#include "tuner/cli/data_output.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/suggest.h"
#include "tuner/pipeline/lab.h"
#include "tuner/pipeline/setup.h"
#include "tuner/report/table.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

struct LabFlags {
  std::vector<std::string> names;
  DeviceOption device;
  DataOutput data;
  bool counters = false;
};

std::vector<Experiment> chosen(const LabFlags& flags, std::vector<Experiment> all) {
  if (flags.names.size() == 1 && flags.names[0] == "all") return all;
  std::vector<std::string> known;
  for (const Experiment& experiment : all) known.push_back(experiment.name);
  std::vector<Experiment> experiments;
  for (const std::string& name : flags.names) {
    const auto found = std::ranges::find(all, name, &Experiment::name);
    if (found == all.end()) {
      throw TunerError(fmt::format("no experiment \"{}\"{}; there are {}, and all", name,
                                   did_you_mean(name, known), fmt::join(known, ", ")));
    }
    experiments.push_back(*found);
  }
  return experiments;
}

ExitCode list(const std::vector<Experiment>& experiments, const Output& output) {
  Table table({{"experiment"}, {""}});
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const Experiment& experiment : experiments) {
    table.add({experiment.name, experiment.title});
    names.push_back({{"name", experiment.name}, {"title", experiment.title}});
  }
  table.add({"all", "every one of them"});
  output.text(table.render(output.color()));
  output.json({{"experiments", names}});
  return ExitCode::ok;
}

nlohmann::ordered_json row_json(const LabRow& row) {
  nlohmann::ordered_json json = {{"case", row.label},
                                 {"config", row.config},
                                 {"threads", row.threads},
                                 {"registers", row.registers},
                                 {"spill_bytes", row.spill_bytes},
                                 {"blocks_per_sm", row.blocks_per_sm},
                                 {"occupancy", row.occupancy},
                                 {"limited_by", row.limiters},
                                 {"sectors_per_request", row.sectors},
                                 {"bank_wavefronts", row.wavefronts},
                                 {"predicted_ms", row.predicted_ns * 1e-6},
                                 {"predicted", row.work / row.predicted_ns},
                                 {"bound", row.bound}};
  if (row.driver_blocks_per_sm) json["driver_blocks_per_sm"] = *row.driver_blocks_per_sm;
  if (row.roof > 0) {
    json["flops_per_dram_byte"] = row.intensity;
    json["flops_per_l2_byte"] = row.l2_intensity;
    json["roof"] = row.roof;
  }
  json["time_ms"] = nullptr;
  json["measured"] = nullptr;
  if (row.time_ns > 0) {
    json["time_ms"] = row.time_ns * 1e-6;
    json["measured"] = row.work / row.time_ns;
    json["first_run_ms"] = row.first_ns * 1e-6;
  }
  if (row.counters) json["counters"] = counters_json(*row.counters);
  if (!row.failure.empty()) json["failure"] = row.failure;
  return json;
}

nlohmann::ordered_json suggestion_json(const SuggestedBlock& suggested) {
  return {{"block", suggested.block}, {"min_grid", suggested.min_grid}};
}

nlohmann::ordered_json to_json(const LabReport& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LabRow& row : report.rows) rows.push_back(row_json(row));
  nlohmann::ordered_json json = {{"experiment", report.name},   {"title", report.title},
                                 {"device", report.device},     {"measured", report.measured},
                                 {"unit", report.unit},         {"why", report.why},
                                 {"baseline", report.baseline}, {"notes", report.notes}};
  if (report.suggested) json["suggested"] = suggestion_json(*report.suggested);
  if (report.suggested_by_driver) {
    json["suggested_by_driver"] = suggestion_json(*report.suggested_by_driver);
  }
  json["rows"] = std::move(rows);
  return json;
}

// Nothing where there is no NVRTC: what needs no compiler is still told.
std::unique_ptr<Compiler> compiler_if_any(bool needed) {
  try {
    return make_compiler_pool({});
  } catch (const TunerError& error) {
    if (needed) throw;
    spdlog::warn("Nothing is compiled, so registers are unknown: {}", error.what());
    return nullptr;
  }
}

ExitCode run(const LabFlags& flags, const Output& output) {
  flags.data.check();
  if (flags.names.empty()) return list(lab_experiments({}), output);
  chosen(flags, lab_experiments({}));  // a wrong name is told before a missing GPU
  const ChosenDevice device = flags.device.choose();
  const std::vector<Experiment> experiments = chosen(flags, lab_experiments(device.profile));
  const bool measures = !device.gpus.empty();
  const ReadCounters read_counters = counters_if(flags.counters, device);
  const std::unique_ptr<Compiler> compiler = compiler_if_any(measures);
  LabBench bench{device.profile, compiler.get(), nullptr, nullptr};
  if (measures) {
    bench.measurer = [&](const Kernel& kernel, CacheMode cache) {
      return make_worker(make_setup(kernel, *compiler, cache, device.gpus.front()));
    };
    bench.occupancy = [&](std::span<const OccupancyQuery> queries) {
      return driver_occupancy(device.gpus.front(), queries);
    };
  }
  if (read_counters) {
    bench.counters = [&](const Kernel& kernel, CacheMode cache, const MeasureJob& job) {
      return read_counters(make_setup(kernel, *compiler, cache, device.gpus.front()), job);
    };
  }
  std::string text;
  std::vector<PageTable> tables;
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  for (const Experiment& experiment : experiments) {
    spdlog::info("{}", experiment.title);
    const LabReport report = run_experiment(experiment, bench);
    text += (text.empty() ? "" : "\n") + lab_text(report, output.color());
    tables.push_back(lab_table(report));
    if (PageTable counters = lab_counters_table(report); !counters.rows.empty()) {
      tables.push_back(std::move(counters));
    }
    reports.push_back(to_json(report));
  }
  flags.data.write(output, tables, text);
  output.json({{"experiments", std::move(reports)}});
  return ExitCode::ok;
}

}  // namespace

Action declare_lab(CLI::App& app) {
  auto flags = std::make_shared<LabFlags>();
  app.add_option("EXPERIMENT", flags->names, "names, or all; a list of them where left out");
  flags->device.add_to(app);
  add_counters_flag(app, flags->counters);
  flags->data.add_to(app);
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
