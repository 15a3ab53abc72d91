// tuner evaluate: the model against measured spaces.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "expr/error.h"
#include "models/pipes.h"
#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/evaluate.h"
#include "tuner/report/table.h"
#include "tuner/report/table_text.h"
#include "tuner/store/measured_file.h"

namespace tuner {
namespace {

struct EvaluateFlags {
  std::vector<std::string> files;
  std::vector<std::string> kernels;  // folders, of kernels that are no built-in ones
  std::string device, trials;
  bool derived = false;
  EvaluateOptions options;
};

// What is known here of the GPU that a file names; nullopt where nothing is.
std::optional<models::DeviceProfile> profile_of(const std::string& name,
                                                const EvaluateFlags& flags) {
  if (!flags.device.empty()) return DeviceOption{flags.device}.choose().profile;
  const std::vector<models::DeviceProfile> known = known_profiles();
  const auto found = std::ranges::find(known, name, &models::DeviceProfile::name);
  if (found == known.end()) return std::nullopt;
  return *found;
}

Recording load(const std::string& file, const EvaluateFlags& flags) {
  const std::string schema = measured_schema(file);
  if (schema == "tuner.recording") {
    Recording recording = load_recording(file);
    recording.device = profile_of(recording.device.name, flags).value_or(recording.device);
    return recording;
  }
  if (schema == "tuner.journal") {
    const JournalContent journal = read_journal(file);
    const std::string& name = journal.header.device;
    if (const auto profile = profile_of(name, flags)) return as_recording(journal, *profile);
    throw TunerError(
        fmt::format("No profile of \"{}\" is known here: give its profile with --device.", name));
  }
  throw TunerError(fmt::format(
      "{} is a {}, which holds winners only: give a recording (tuner record) or a journal.", file,
      schema));
}

nlohmann::ordered_json quality_json(const models::RankQuality& quality) {
  return {{"trials", quality.trials},
          {"measured", quality.measured},
          {"spearman", quality.spearman},
          {"kendall", quality.kendall},
          {"top1", quality.top1},
          {"top8", quality.top8},
          {"top16", quality.top16},
          {"share_with_best", quality.share_with_best},
          {"kept_share", quality.kept_share},
          {"kept_best", quality.kept_best}};
}

void add_row(Table& table, const std::string& name, const models::RankQuality& quality) {
  table.add({name, fmt::format("{}", quality.measured), fmt::format("{:.3f}", quality.spearman),
             fmt::format("{:.3f}", quality.kendall), fmt::format("{:.3f}", quality.top1),
             fmt::format("{:.3f}", quality.top8), fmt::format("{:.3f}", quality.top16),
             fmt::format("{:.1f} %", 100 * quality.share_with_best),
             fmt::format("{:.1f} %", 100 * quality.kept_share),
             fmt::format("{:.3f}", quality.kept_best)});
}

KernelDescription kernel_of(const std::string& name, const EvaluateFlags& flags) {
  for (const std::string& folder : flags.kernels) {
    KernelDescription kernel = find_kernel(folder);
    if (kernel.name == name) return kernel;
  }
  try {
    return find_kernel(name);
  } catch (const TunerError& error) {
    throw TunerError(fmt::format(
        "{}. Give the folder of a kernel that is none of them with --kernel.", error.what()));
  }
}

// A column for each of the model's pipes, in the order of models::kPipes; times in ns.
PageTable trials_table() {
  PageTable table{"trials", "Trials", {{"recording"}, {"config"}, {"measured", true}}, {}};
  for (const char* name : {"predicted", "launch", models::kExchange, models::kAtomics, "tail"})
    table.columns.push_back({name, true});
  for (const models::NamedPipe& pipe : models::kPipes) table.columns.push_back({pipe.name, true});
  return table;
}

double pipe_ns(const models::Estimate& estimate, const std::string& name) {
  if (name == "predicted") return estimate.time_ns;
  const auto found = std::ranges::find(estimate.pipes, name, &models::Pipe::name);
  return found == estimate.pipes.end() ? 0 : found->time_ns;
}

void add_trials(PageTable& table, const std::string& file, const Evaluation& evaluation) {
  for (const EvaluatedTrial& trial : evaluation.trials) {
    std::vector<std::string> row = {file, trial.config, fmt::format("{}", trial.measured_ns)};
    for (std::size_t i = row.size(); i < table.columns.size(); ++i)
      row.push_back(fmt::format("{:.6g}", pipe_ns(trial.estimate, table.columns[i].heading)));
    table.rows.push_back(std::move(row));
  }
}

ExitCode run(const EvaluateFlags& flags, const Output& output) {
  Table table({{"recording"},
               {"measured", Align::right},
               {"Spearman", Align::right},
               {"Kendall", Align::right},
               {"top 1", Align::right},
               {"top 8", Align::right},
               {"top 16", Align::right},
               {"holds the best", Align::right},
               {"kept", Align::right},
               {"best kept", Align::right}});
  PageTable trials = trials_table();
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& file : flags.files) {
    const Recording recording = load(file, flags);
    const Evaluation evaluation =
        evaluate(kernel_of(recording.kernel, flags), recording, flags.options);
    if (evaluation.left_out > 0) {
      spdlog::warn("{}: {} trials are left out: the kernel's space does not hold them", file,
                   evaluation.left_out);
    }
    add_row(table, file, evaluation.quality);
    add_trials(trials, file, evaluation);
    nlohmann::ordered_json json = {{"file", file}};
    json.update(quality_json(evaluation.quality));
    json["left_out"] = evaluation.left_out;
    for (const auto& [pipe, quality] : evaluation.without) {
      add_row(table, "  without " + pipe, quality);
      json["without"][pipe] = quality_json(quality);
    }
    files.push_back(std::move(json));
  }
  output.text(
      table.render(output.color()) +
      "top k: the best time / the best among the model's first k; holds the best: the share "
      "of its order, from the front, with something within 1 %\n");
  output.json({{"files", files}});
  if (!flags.trials.empty()) write_file_atomically(flags.trials, csv_text(trials));
  return ExitCode::ok;
}

}  // namespace

Action declare_evaluate(CLI::App& app) {
  auto flags = std::make_shared<EvaluateFlags>();
  app.add_option("FILE", flags->files, "recordings (tuner record) and journals")->required();
  app.add_option("--kernel", flags->kernels, "folders of kernels that are no built-in ones")
      ->type_name("KERNEL")
      ->allow_extra_args(false);
  app.add_option("--device", flags->device,
                 "profile to evaluate; the one known by the GPU's name where left out, else the "
                 "recording's own")
      ->type_name("DEVICE");
  app.add_flag("--compiled", flags->options.compiled,
               "with the recorded registers and spills, as after compiling");
  app.add_flag("--derived", flags->derived,
               "compile the configurations of kernels without a model, and judge what their PTX "
               "gives (minutes)");
  app.add_flag("--ablation", flags->options.ablation, "also with each term of the model left out");
  app.add_option(
         "--trials", flags->trials,
         "also write each trial, measured and predicted, and each term's time in ns, as CSV")
      ->type_name("FILE");
  return [flags](const Output& output) {
    if (!flags->trials.empty()) check_writable(flags->trials);
    flags->options.trials = !flags->trials.empty();
    const auto compiler = flags->derived ? make_compiler_pool({}) : nullptr;
    flags->options.compiler = compiler.get();
    return run(*flags, output);
  };
}

}  // namespace tuner
