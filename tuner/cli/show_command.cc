#include <fmt/format.h>

#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/problem_options.h"
#include "tuner/pipeline/keep.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/lookup.h"

namespace tuner {
namespace {

struct ShowFlags {
  ProblemOptions problem;
  DeviceOption device;
  std::string configs, cache = "cold";
};

// Below the measured rungs: the model's choice, then the default.
std::pair<std::string, NamedValues> fallback(const Kernel& kernel, bool cold) {
  const auto best = best_predicted(prune(kernel, cold, 0), 1);
  if (!best.empty()) return {"predicted", named_values(kernel, best.front().config)};
  return {"default", named_values(kernel, kernel.space().default_config())};
}

ExitCode run(const ShowFlags& flags, const Output& output) {
  const KernelDescription description = find_kernel(flags.problem.kernel);
  const models::DeviceProfile device = flags.device.resolve();
  Kernel kernel(description, resolve_problem(description, flags.problem.single_problem()), device);
  const auto answer_for = [&](const std::string& cache) {
    return lookup(configs_folders(flags.configs).search, lookup_query(kernel, cache));
  };
  const LookupAnswer answer = answer_for(flags.cache);
  nlohmann::ordered_json json = {{"kernel", description.name},
                                 {"problem", to_json_object(kernel.problem().axes)}};
  std::string text;
  for (const std::string& warning : answer.warnings) text += "warning: " + warning + "\n";
  if (answer.entry) {
    const MeasuredConfig& winner = answer.entry->winner;
    json["rung"] = to_string(answer.rung);
    json["config"] = to_json_object(winner.config);
    json["time_ms"] = winner.time_ns * 1e-6;
    json["file"] = answer.file.string();
    json["stale"] = answer.stale;
    text +=
        fmt::format("{} (rung: {}{})\n{}\n{:.4g} ms for {} on {}, {}, from {}\n", description.name,
                    to_string(answer.rung), answer.stale ? ", stale" : "", to_string(winner.config),
                    winner.time_ns * 1e-6, to_string(answer.entry->problem),
                    answer.entry->device.name, answer.entry->date, answer.file.string());
  } else {
    const auto [rung, config] = fallback(kernel, flags.cache == "cold");
    json["rung"] = rung;
    json["config"] = to_json_object(config);
    text += fmt::format("{} (rung: {}; nothing was measured for this)\n{}\n", description.name,
                        rung, to_string(config));
    const std::string other = flags.cache == "cold" ? "warm" : "cold";
    if (const LookupAnswer measured = answer_for(other); measured.entry) {
      json["measured_with_cache"] = other;
      text += fmt::format("With {} caches something was (rung: {}): --cache {} shows it.\n", other,
                          to_string(measured.rung), other);
    }
  }
  output.text(text);
  output.json(json);
  return ExitCode::ok;
}

}  // namespace

Action declare_show(CLI::App& app) {
  auto flags = std::make_shared<ShowFlags>();
  flags->problem.add_to(app);
  flags->device.add_to(app);
  app.add_option("--configs", flags->configs, "folder of tuned results");
  app.add_option("--cache", flags->cache, "of the measurement that is asked for")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  return [flags](const Output& output) { return run(*flags, output); };
}

}  // namespace tuner
