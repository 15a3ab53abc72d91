#include "tuner/pipeline/reporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "expr/error.h"
#include "models/pipes.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/parallel_for.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/main_launch.h"
#include "tuner/pipeline/moved_bytes.h"
#include "tuner/store/fields.h"
#include "tuner/store/journal.h"
#include "tuner/store/measured_file.h"
#include "tuner/store/recording.h"
#include "tuner/store/result.h"

namespace tuner {
namespace {

constexpr const char* kOwnKernel = "name the folder of its kernel.json with --kernel";

struct Loaded {
  TrialReport report;
  NamedValues problem;
  std::vector<NamedValues> configs;  // of the trials
};

void add_fact(TrialReport& report, const char* what, const std::string& value) {
  if (!value.empty()) report.environment.emplace_back(what, value);
}

void add_device(TrialReport& report, const models::DeviceProfile& device) {
  add_fact(report, "compute capability",
           fmt::format("{}.{}", device.compute_capability / 10, device.compute_capability % 10));
  add_fact(report, "SMs", std::to_string(device.sm_count));
  add_fact(report, "clock", fmt::format("{:.0f} MHz", device.core_clock_mhz));
  add_fact(report, "DRAM, reachable", fmt::format("{:.0f} GB/s", device.dram_gbps));
  add_fact(report, "FP32 peak", fmt::format("{:.0f} GFLOP/s", device.fp32_gflops()));
  add_fact(report, "rates of the model from", device.rates_source);
}

std::optional<models::DeviceProfile> profile_of(const std::string& name,
                                                const ReportOptions& options) {
  if (options.device) return options.device;
  const auto found = std::ranges::find(options.devices, name, &models::DeviceProfile::name);
  return found == options.devices.end() ? std::nullopt : std::optional(*found);
}

ReportTrial report_trial(const JournalTrial& from, const std::vector<std::string>& parameters) {
  ReportTrial trial;
  for (const std::string& name : parameters) {
    const Value* value = find_value(from.config, name);
    trial.values.push_back(value == nullptr ? "" : to_string(*value));
  }
  trial.status = search::to_string(from.status);
  trial.reason = from.reason;
  trial.time_ns = from.time_ns;
  trial.low_ns = from.low_ns;
  trial.high_ns = from.high_ns;
  trial.abandoned = from.abandoned;
  trial.throttled = from.throttled;
  trial.compile_ms = from.compile_ms;
  trial.registers = from.registers;
  trial.spill_bytes = from.spill_bytes;
  return trial;
}

ReportTrial unfinished_trial(const UnfinishedTrial& from,
                             const std::vector<std::string>& parameters) {
  JournalTrial trial;
  trial.config = from.config;
  trial.status = search::Status::crash;
  trial.reason = "was running when the journal ends";
  return report_trial(trial, parameters);
}

Loaded load_journal(const std::filesystem::path& path, const ReportOptions& options) {
  const JournalContent journal = read_journal(path);
  Loaded loaded;
  TrialReport& report = loaded.report;
  report.kernel = journal.header.kernel;
  report.cache = journal.header.cache;
  report.device = journal.header.device;
  report.parameters = journal.header.parameters;
  loaded.problem = journal.header.problem;
  for (const JournalTrial* trial : last_trials(journal)) {
    report.trials.push_back(report_trial(*trial, report.parameters));
    loaded.configs.push_back(trial->config);
  }
  for (const UnfinishedTrial& trial : journal.unfinished) {
    report.trials.push_back(unfinished_trial(trial, report.parameters));
    loaded.configs.push_back(trial.config);
  }
  if (journal.truncated) {
    report.notes.emplace_back("The journal's last line was cut short, and is left out.");
  }
  report.profile = profile_of(report.device, options);
  if (!report.profile) {
    report.notes.push_back(fmt::format(
        "No profile of \"{}\" is known here, so nothing is predicted: give its profile with "
        "--device.",
        report.device));
  }
  add_fact(report, "device", report.device);
  if (report.profile) add_device(report, *report.profile);
  add_fact(report, "source hash", journal.header.source_hash);
  add_fact(report, "seed", std::to_string(journal.header.seed));
  add_fact(report, "tool", journal.header.tool);
  add_fact(report, "date", journal.header.date);
  return loaded;
}

ReportTrial report_trial(const RecordedTrial& from) {
  ReportTrial trial;
  for (const Value& value : from.values) trial.values.push_back(to_string(value));
  trial.status = search::to_string(from.status);
  trial.reason = from.reason;
  trial.time_ns = from.time_ns;
  trial.low_ns = from.low_ns;
  trial.high_ns = from.high_ns;
  trial.compile_ms = from.compile_ms;
  trial.registers = from.registers;
  trial.spill_bytes = from.spill_bytes;
  return trial;
}

Loaded load_recording(const std::filesystem::path& path, const ReportOptions&) {
  const Recording recording = tuner::load_recording(path);
  Loaded loaded;
  TrialReport& report = loaded.report;
  report.kernel = recording.kernel;
  report.cache = recording.cache;
  report.device = recording.device.name;
  report.profile = recording.device;
  loaded.problem = recording.problem;
  for (const auto& parameter : recording.parameters) report.parameters.push_back(parameter.name);
  for (const RecordedTrial& trial : recording.trials) {
    report.trials.push_back(report_trial(trial));
    NamedValues& config = loaded.configs.emplace_back();
    for (std::size_t i = 0; i < trial.values.size(); ++i) {
      config.emplace_back(report.parameters[i], trial.values[i]);
    }
  }
  add_fact(report, "device", report.device);
  add_device(report, recording.device);
  add_fact(report, "driver", recording.driver);
  add_fact(report, "NVRTC", recording.cuda);
  add_fact(report, "source hash", recording.source_hash);
  add_fact(report, "tool", recording.tool);
  add_fact(report, "date", recording.date);
  return loaded;
}

// What is recorded is the most of any launch.
models::KernelShape compiled_shape(const Kernel& kernel, const search::Config& config,
                                   const ReportTrial& trial, bool cold) {
  models::KernelShape shape = kernel.shape(config);
  shape.cold = cold;
  for (models::LaunchShape& launch : shape.launches) {
    if (trial.registers > 0) launch.registers = trial.registers;
    launch.spill_bytes = trial.spill_bytes;
  }
  return shape;
}

TrialModel model_of(const models::DeviceProfile& device, const models::KernelShape& shape,
                    const models::Estimate& estimate) {
  TrialModel model;
  model.predicted_ns = estimate.time_ns;
  model.moved_bytes = moved_bytes(device, shape, estimate).dram;
  if (shape.launches.empty()) return model;
  const std::size_t launch = main_launch(shape);
  if (launch < estimate.occupancy.size()) {
    model.occupancy = estimate.occupancy[launch].occupancy;
    model.ilp = shape.launches[launch].ilp;
  }
  return model;
}

// nullopt where the kernel does not hold the configuration (any more).
std::optional<search::Config> config_of(const Kernel& kernel, const NamedValues& values) {
  try {
    const search::Config config = kernel.space().from_values(values);
    if (kernel.space().contains(config)) return config;
  } catch (const TunerError&) {
    // A parameter or a value that the kernel no longer has: as good as a point out of its space.
  }
  return std::nullopt;
}

// Of one trial; false where the kernel does not hold it.
bool ask_model(const Kernel& kernel, std::size_t trial, Loaded& loaded) {
  TrialReport& report = loaded.report;
  const auto config = config_of(kernel, loaded.configs[trial]);
  if (!config) return false;
  models::KernelShape shape =
      compiled_shape(kernel, *config, report.trials[trial], report.cache == "cold");
  models::Estimate estimate = models::estimate(kernel.device(), shape);
  report.trials[trial].model = model_of(kernel.device(), shape, estimate);
  if (trial == report.winner) {
    report.winner_id = kernel.space().id(*config);
    report.explained = {std::move(shape), std::move(estimate)};
  }
  return true;
}

void ask_model(const Kernel& kernel, Loaded& loaded) {
  constexpr std::int64_t kGrain = 64;
  TrialReport& report = loaded.report;
  std::atomic<std::size_t> strange = 0;
  parallel_for(static_cast<std::int64_t>(report.trials.size()), kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   if (!ask_model(kernel, static_cast<std::size_t>(i), loaded)) ++strange;
                 }
               });
  if (strange == 0) return;
  report.notes.push_back(
      fmt::format("{} of {} trials are unknown to the kernel as it is now, so the model says "
                  "nothing of them.",
                  strange.load(), report.trials.size()));
}

// A kernel that was asked for must be there; that of a file may be anyone's.
std::optional<KernelDescription> description_for(const ReportOptions& options,
                                                 TrialReport& report) {
  if (!options.kernel.empty()) return find_kernel(options.kernel);
  try {
    return find_kernel(report.kernel);
  } catch (const TunerError&) {
    report.notes.push_back(
        fmt::format("The kernel {} is not known here, so nothing is predicted: {}.", report.kernel,
                    kOwnKernel));
  }
  return std::nullopt;
}

void predict(const ReportOptions& options, Loaded& loaded) {
  TrialReport& report = loaded.report;
  auto description = description_for(options, report);
  if (!description || !report.profile) return;
  try {
    const Kernel kernel(std::move(*description), Problem{loaded.problem}, *report.profile);
    report.useful_flops = kernel.useful_flops();
    report.useful_bytes = kernel.useful_bytes();
    ask_model(kernel, loaded);
  } catch (const TunerError& error) {
    if (!options.kernel.empty()) throw;
    report.notes.push_back(
        fmt::format("The kernel {} as it is now does not fit the file ({}), so nothing is "
                    "predicted.",
                    report.kernel, error.what()));
  }
}

ResultRow result_row(const TunedEntry& entry) {
  ResultRow row;
  row.problem = to_string(entry.problem);
  row.cache = entry.cache;
  row.device = entry.device.name;
  row.config = to_string(entry.winner.config);
  row.time_ns = entry.winner.time_ns;
  row.low_ns = entry.winner.low_ns;
  row.high_ns = entry.winner.high_ns;
  row.default_ns = entry.default_config.time_ns;
  row.gflops = entry.winner.gflops;
  row.gbps = entry.winner.gbps;
  row.error = entry.winner.error;
  row.ties = entry.ties.size();
  row.trials = entry.trials;
  row.made_with =
      fmt::format("driver {}, NVRTC {}, tuner {}", entry.device.driver, entry.nvrtc, entry.tool);
  row.date = entry.date;
  return row;
}

// Nothing where the device is not known, or the kernel no longer holds the winner.
void explain(const KernelDescription& description, const TunedEntry& entry,
             const std::optional<models::DeviceProfile>& device, ResultRow& row) {
  if (!device) return;
  try {
    const Kernel kernel(description, Problem{entry.problem}, *device);
    const auto config = config_of(kernel, entry.winner.config);
    if (!config) return;
    models::KernelShape shape = kernel.shape(*config);
    shape.cold = entry.cache == "cold";
    const models::Estimate estimate = models::estimate(*device, shape);
    row.predicted_ns = estimate.time_ns;
    row.words = estimate.words;
    row.config = kernel.space().id(*config);
  } catch (const TunerError& error) {
    row.words = fmt::format("The kernel as it is now does not fit this result: {}", error.what());
  }
}

}  // namespace

TrialReport trial_report(const std::filesystem::path& path, const ReportOptions& options) {
  const std::string schema = measured_schema(path);
  if (schema == "tuner.result") {
    throw TunerError(fmt::format("{}: a tuned result holds no trials", path.string()));
  }
  Loaded loaded =
      schema == "tuner.journal" ? load_journal(path, options) : load_recording(path, options);
  TrialReport& report = loaded.report;
  report.file = path.string();
  report.problem = to_string(loaded.problem);
  report.winner = fastest(report.trials);
  if (report.winner) report.winner_id = to_string(loaded.configs[*report.winner]);
  if (!report.winner) report.notes.emplace_back("No trial was measured to its end.");
  predict(options, loaded);
  return std::move(loaded.report);
}

ResultReport result_report(const std::filesystem::path& path, const ReportOptions& options) {
  const TunedResult result =
      parse_tuned_result(parse_json(read_gzip_or_plain(path), path.string()), path.string());
  ResultReport report;
  report.file = path.string();
  report.kernel = result.kernel;
  TrialReport asked;
  asked.kernel = result.kernel;
  const auto description = description_for(options, asked);
  report.notes = asked.notes;
  for (const TunedEntry& entry : result.entries) {
    ResultRow& row = report.rows.emplace_back(result_row(entry));
    if (description) explain(*description, entry, profile_of(entry.device.name, options), row);
  }
  return report;
}

}  // namespace tuner
