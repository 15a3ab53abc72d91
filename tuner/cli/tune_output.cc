#include "tuner/cli/tune_output.h"

#include <fmt/format.h>

#include "models/estimate.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json config_json(const Kernel& kernel, const search::Config& config) {
  Json json = Json::object();
  const auto& parameters = kernel.space().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    json[parameters[i].name] = json_of(kernel.space().value(config, i));
  }
  return json;
}

double gflops(const Kernel& kernel, double time_ns) { return kernel.useful_flops() / time_ns; }
double gbps(const Kernel& kernel, double time_ns) { return kernel.useful_bytes() / time_ns; }

Json finalist_json(const Kernel& kernel, const Finalist& finalist) {
  const MeasureResult& result = finalist.result;
  Json json = {{"config", config_json(kernel, finalist.config)}, {"status", result.status}};
  if (result.status != "ok") return json;
  json["time_ms"] = result.time_ns * 1e-6;
  json["spread"] = result.relative_spread;
  json["gflops"] = gflops(kernel, result.time_ns);
  json["gbps"] = gbps(kernel, result.time_ns);
  json["error"] = result.max_error;
  json["frobenius_error"] = result.frobenius_error;
  json["throttled"] = result.throttled;
  return json;
}

Json header_json(const Kernel& kernel) {
  Json problem = Json::object();
  for (const auto& [name, value] : kernel.problem().axes) problem[name] = json_of(value);
  return {{"kernel", kernel.description().name},
          {"problem", problem},
          {"device",
           {{"name", kernel.device().name},
            {"id", kernel.device().id},
            {"compute_capability", kernel.device().compute_capability},
            {"sm_count", kernel.device().sm_count}}}};
}

std::string rates(const Kernel& kernel, double time_ns) {
  std::string text;
  if (kernel.useful_flops() > 0) text = fmt::format("{:.0f} GFLOP/s", gflops(kernel, time_ns));
  if (kernel.useful_bytes() > 0) {
    text += fmt::format("{}{:.0f} GB/s", text.empty() ? "" : ", ", gbps(kernel, time_ns));
  }
  return text.empty() ? "no work described" : text;
}

std::string failures(const SearchOutcome& search) {
  std::string text;
  for (const auto& [status, count] : search.failures)
    text += fmt::format("  {} {}\n", count, status);
  return text;
}

std::string why(const Kernel& kernel, const Pruned& pruned, const search::Config& config) {
  const auto derived = pruned.derived_words.find(config);
  if (derived != pruned.derived_words.end()) return derived->second;
  return models::estimate(kernel.device(), kernel.shape(config)).words;
}

std::string against_default(const Kernel& kernel, const TuneOutcome& outcome,
                            const Finalist& winner) {
  if (!outcome.default_finalist) return "";
  const Finalist& plain = outcome.finalists[*outcome.default_finalist];
  if (plain.result.status != "ok") {
    return fmt::format("default   {}: {}\n", plain.result.status, plain.result.reason);
  }
  return fmt::format("default   {}: {:.4g} ms, {}; the winner is {:.2f} times as fast\n",
                     kernel.space().id(plain.config), plain.result.time_ns * 1e-6,
                     rates(kernel, plain.result.time_ns),
                     plain.result.time_ns / winner.result.time_ns);
}

}  // namespace

std::string tune_summary(const Kernel& kernel, const TuneOutcome& outcome) {
  const SearchOutcome& search = outcome.search;
  std::string text = fmt::format(
      "{} {} on {}: {} compiled, {} measured, {} pruned after compiling, {} failed, {:.1f} s\n",
      kernel.description().name, to_string(kernel.problem()), kernel.device().name, search.compiled,
      search.measured, search.pruned, search.failed, outcome.wall_s);
  text += failures(search);
  if (!outcome.verdict.winner)
    return text + "No configuration is valid and verified here; there is no winner.\n";
  const Finalist& winner = outcome.finalists[*outcome.verdict.winner];
  text += fmt::format(
      "winner    {}\n          {:.4g} ms ± {:.1f} %, {}, verified (error {:.2g} of the "
      "tolerance)\n",
      kernel.space().id(winner.config), winner.result.time_ns * 1e-6,
      winner.result.relative_spread * 100, rates(kernel, winner.result.time_ns),
      winner.result.max_error);
  for (const std::size_t tie : outcome.verdict.ties) {
    text +=
        fmt::format("tie       {}: {:.4g} ms\n", kernel.space().id(outcome.finalists[tie].config),
                    outcome.finalists[tie].result.time_ns * 1e-6);
  }
  text += against_default(kernel, outcome, winner);
  return text + "why       " + why(kernel, outcome.pruned, winner.config) + "\n";
}

nlohmann::ordered_json tune_json(const Kernel& kernel, const TuneOutcome& outcome) {
  const SearchOutcome& search = outcome.search;
  Json json = header_json(kernel);
  json["winner"] = nullptr;
  if (outcome.verdict.winner)
    json["winner"] = finalist_json(kernel, outcome.finalists[*outcome.verdict.winner]);
  json["default"] = nullptr;
  if (outcome.default_finalist)
    json["default"] = finalist_json(kernel, outcome.finalists[*outcome.default_finalist]);
  json["ties"] = Json::array();
  for (const std::size_t tie : outcome.verdict.ties) {
    json["ties"].push_back(finalist_json(kernel, outcome.finalists[tie]));
  }
  json["counts"] = {
      {"space", outcome.pruned.valid},
      {"pruned", outcome.pruned.valid - outcome.pruned.candidates.size() + search.pruned},
      {"compiled", search.compiled},
      {"measured", search.measured},
      {"failed", search.failed}};
  json["pruned_by"] = outcome.pruned.dropped;
  json["failures"] = search.failures;
  json["measured"] = true;
  json["compile_core_s"] = search.compile_core_ms * 1e-3;
  json["gpu_s"] = search.gpu_ms * 1e-3;
  json["seconds"] = {{"verify", search.verify_ms * 1e-3},
                     {"sampling", search.sampling_ms * 1e-3},
                     {"recheck", search.recheck_ms * 1e-3},
                     {"ask", search.ask_ms * 1e-3},
                     {"starved", search.starved_ms * 1e-3}};
  json["wall_s"] = outcome.wall_s;
  return json;
}

std::string predicted_summary(const Kernel& kernel, const Pruned& pruned) {
  std::string text = fmt::format(
      "PREDICTED for {}; nothing was measured, and nothing is stored.\n{} {}: {} valid, {} kept by "
      "the model\n",
      kernel.device().name, kernel.description().name, to_string(kernel.problem()), pruned.valid,
      pruned.candidates.size());
  for (const auto& [reason, count] : pruned.dropped)
    text += fmt::format("  {} dropped: {}\n", count, reason);
  if (!pruned.derived_words.empty()) {
    text += fmt::format(
        "  no model: {} were compiled and scored by what their PTX shows, the others by what these "
        "taught\n",
        pruned.derived_words.size());
  }
  Table table({{"predicted ms", Align::right}, {"configuration"}});
  const auto best = best_predicted(pruned, 10);
  for (const search::Candidate& candidate : best) {
    table.add({fmt::format("{:.4g}", candidate.predicted_ns * 1e-6),
               kernel.space().id(candidate.config)});
  }
  text += table.render();
  if (!best.empty()) text += "why       " + why(kernel, pruned, best.front().config) + "\n";
  return text;
}

nlohmann::ordered_json predicted_json(const Kernel& kernel, const Pruned& pruned, double wall_s) {
  Json json = header_json(kernel);
  json["measured"] = false;
  json["predicted"] = Json::array();
  for (const search::Candidate& candidate : best_predicted(pruned, 10)) {
    json["predicted"].push_back({{"config", config_json(kernel, candidate.config)},
                                 {"predicted_ms", candidate.predicted_ns * 1e-6}});
  }
  json["counts"] = {{"space", pruned.valid},
                    {"pruned", pruned.valid - pruned.candidates.size()},
                    {"compiled", pruned.derived_words.size()},
                    {"measured", 0},
                    {"failed", 0}};
  json["pruned_by"] = pruned.dropped;
  json["wall_s"] = wall_s;
  return json;
}

}  // namespace tuner
