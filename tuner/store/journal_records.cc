#include "tuner/store/journal_records.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>

#include "expr/error.h"
#include "tuner/store/fields.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "tuner.journal";

search::Status status_from_text(const std::string& text, const std::string& where) {
  const std::optional<search::Status> status = search::status_from_string(text);
  if (!status) throw TunerError(fmt::format("{}: \"{}\" is no status of a trial.", where, text));
  return *status;
}

std::uint64_t seed_from_text(const std::string& text, const std::string& where) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) {
    throw TunerError(fmt::format("{}: \"{}\" is no seed of 64 bits.", where, text));
  }
  return seed;
}

}  // namespace

ordered_json header_to_json(const JournalHeader& header) {
  ordered_json json;
  json["schema"] = kSchema;
  json["version"] = kJournalVersion;
  json["kernel"] = header.kernel;
  json["problem"] = to_json_object(header.problem);
  json["cache"] = header.cache;
  json["device"] = header.device;
  json["source_hash"] = header.source_hash;
  json["parameters"] = header.parameters;
  json["seed"] = std::to_string(header.seed);  // 64 bits, which many JSON readers do not hold
  json["tool"] = header.tool;
  json["date"] = header.date;
  return json;
}

ordered_json started_to_json(const NamedValues& config) {
  return {{"record", "started"}, {"config", to_json_object(config)}};
}

ordered_json trial_to_json(const JournalTrial& trial) {
  ordered_json json;
  json["record"] = "trial";
  json["config"] = to_json_object(trial.config);
  json["status"] = std::string(search::to_string(trial.status));
  if (!trial.reason.empty()) json["reason"] = trial.reason;
  json["time_ns"] = trial.time_ns;
  json["low_ns"] = trial.low_ns;
  json["high_ns"] = trial.high_ns;
  json["samples"] = trial.samples;
  if (trial.abandoned) json["abandoned"] = true;
  if (trial.throttled) json["throttled"] = true;
  json["error"] = trial.error;
  json["compile_ms"] = trial.compile_ms;
  json["registers"] = trial.registers;
  json["spill_bytes"] = trial.spill_bytes;
  return json;
}

JournalHeader header_from_json(const ordered_json& json, const std::string& where) {
  check_schema(json, kSchema, kJournalVersion, where);
  const Fields fields(json, where + ": ");
  JournalHeader header;
  header.kernel = fields.text("kernel");
  header.problem = fields.values("problem");
  header.cache = fields.text("cache");
  header.device = fields.text("device");
  header.source_hash = fields.text("source_hash");
  for (const ordered_json& name : fields.array("parameters")) {
    if (!name.is_string()) throw TunerError(fields.where("parameters") + ": expected strings.");
    header.parameters.push_back(name.get<std::string>());
  }
  header.seed = seed_from_text(fields.text("seed"), fields.where("seed"));
  header.tool = fields.text_or("tool", "");
  header.date = fields.text_or("date", "");
  return header;
}

JournalTrial trial_from_json(const ordered_json& json, const std::string& where) {
  const Fields fields(json, where + ": ");
  JournalTrial trial;
  trial.config = fields.values("config");
  trial.status = status_from_text(fields.text("status"), fields.where("status"));
  trial.reason = fields.text_or("reason", "");
  trial.time_ns = fields.number_or("time_ns", 0);
  trial.low_ns = fields.number_or("low_ns", 0);
  trial.high_ns = fields.number_or("high_ns", 0);
  trial.samples = static_cast<int>(fields.integer_or("samples", 0));
  trial.abandoned = fields.boolean_or("abandoned", false);
  trial.throttled = fields.boolean_or("throttled", false);
  trial.error = fields.number_or("error", 0);
  trial.compile_ms = fields.number_or("compile_ms", 0);
  trial.registers = static_cast<int>(fields.integer_or("registers", 0));
  trial.spill_bytes = fields.integer_or("spill_bytes", 0);
  return trial;
}

}  // namespace tuner
