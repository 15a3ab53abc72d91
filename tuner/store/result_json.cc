// Tuned results to JSON and back.
#include <fmt/format.h>

#include <utility>

#include "expr/error.h"
#include "tuner/store/fields.h"
#include "tuner/store/result.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "tuner.result";

// Known keys first: unknown ones go behind them, and never replace them.
void append_unknown(ordered_json& json, const ordered_json& other) {
  if (!other.is_object()) return;
  for (const auto& [key, value] : other.items()) {
    if (!json.contains(key)) json[key] = value;
  }
}

ordered_json compiled_to_json(const CompiledKernel& kernel) {
  return {{"entry", kernel.entry},
          {"registers", kernel.registers},
          {"static_shared", kernel.static_shared},
          {"spill_bytes", kernel.spill_bytes}};
}

CompiledKernel compiled_from_json(const ordered_json& json, const std::string& where) {
  const Fields fields(json, where);
  return {fields.text("entry"), static_cast<int>(fields.integer("registers")),
          fields.integer("static_shared"), fields.integer_or("spill_bytes", 0)};
}

ordered_json measured_to_json(const MeasuredConfig& measured) {
  ordered_json json;
  json["config"] = to_json_object(measured.config);
  json["time_ns"] = measured.time_ns;
  json["low_ns"] = measured.low_ns;
  json["high_ns"] = measured.high_ns;
  json["gflops"] = measured.gflops;
  json["gbps"] = measured.gbps;
  json["error"] = measured.error;
  for (const CompiledKernel& kernel : measured.compiled) {
    json["compiled"].push_back(compiled_to_json(kernel));
  }
  append_unknown(json, measured.other);
  return json;
}

MeasuredConfig measured_from_json(const ordered_json& json, const std::string& where) {
  const Fields fields(json, where);
  MeasuredConfig measured;
  measured.config = fields.values("config");
  measured.time_ns = fields.number("time_ns");
  measured.low_ns = fields.number_or("low_ns", measured.time_ns);
  measured.high_ns = fields.number_or("high_ns", measured.time_ns);
  measured.gflops = fields.number_or("gflops", 0);
  measured.gbps = fields.number_or("gbps", 0);
  measured.error = fields.number_or("error", 0);
  if (fields.optional("compiled") != nullptr) {
    for (const ordered_json& kernel : fields.array("compiled")) {
      const std::string place =
          fmt::format("{}/{}", fields.where("compiled"), measured.compiled.size());
      measured.compiled.push_back(compiled_from_json(kernel, place));
    }
  }
  measured.other = fields.unread();
  return measured;
}

ordered_json device_to_json(const ResultDevice& device) {
  ordered_json json;
  json["name"] = device.name;
  json["compute_capability"] = device.compute_capability;
  json["sm_count"] = device.sm_count;
  json["memory_bytes"] = device.memory_bytes;
  json["driver"] = device.driver;
  append_unknown(json, device.other);
  return json;
}

ResultDevice device_from_json(const ordered_json& json, const std::string& where) {
  const Fields fields(json, where);
  ResultDevice device;
  device.name = fields.text("name");
  device.compute_capability = static_cast<int>(fields.integer("compute_capability"));
  device.sm_count = static_cast<int>(fields.integer("sm_count"));
  device.memory_bytes = fields.integer("memory_bytes");
  device.driver = fields.text_or("driver", "");
  device.other = fields.unread();
  return device;
}

void origin_to_json(ordered_json& json, const TunedEntry& entry) {
  json["source_hash"] = entry.source_hash;
  json["cuda"] = entry.cuda;
  json["nvrtc"] = entry.nvrtc;
  json["tool"] = entry.tool;
  json["date"] = entry.date;
  json["trials"] = entry.trials;
  json["throttled"] = entry.throttled;
}

ordered_json entry_to_json(const TunedEntry& entry) {
  ordered_json json;
  json["problem"] = to_json_object(entry.problem);
  json["cache"] = entry.cache;
  json["device"] = device_to_json(entry.device);
  json["winner"] = measured_to_json(entry.winner);
  json["default"] = measured_to_json(entry.default_config);
  if (!entry.default_failure.empty()) json["default_failure"] = entry.default_failure;
  json["ties"] = ordered_json::array();
  for (const MeasuredConfig& tie : entry.ties) json["ties"].push_back(measured_to_json(tie));
  origin_to_json(json, entry);
  append_unknown(json, entry.other);
  return json;
}

void origin_from_json(const Fields& fields, TunedEntry& entry) {
  entry.source_hash = fields.text("source_hash");
  entry.cuda = fields.text_or("cuda", "");
  entry.nvrtc = fields.text_or("nvrtc", "");
  entry.tool = fields.text_or("tool", "");
  entry.date = fields.text_or("date", "");
  entry.trials = fields.integer_or("trials", 0);
  entry.throttled = fields.boolean_or("throttled", false);
}

TunedEntry entry_from_json(const ordered_json& json, const std::string& where) {
  const Fields fields(json, where);
  TunedEntry entry;
  entry.problem = fields.values("problem");
  entry.cache = fields.text("cache");
  entry.device = device_from_json(fields.object("device"), fields.where("device"));
  entry.winner = measured_from_json(fields.object("winner"), fields.where("winner"));
  entry.default_config = measured_from_json(fields.object("default"), fields.where("default"));
  entry.default_failure = fields.text_or("default_failure", "");
  if (fields.optional("ties") != nullptr) {
    for (const ordered_json& tie : fields.array("ties")) {
      const std::string place = fmt::format("{}/{}", fields.where("ties"), entry.ties.size());
      entry.ties.push_back(measured_from_json(tie, place));
    }
  }
  origin_from_json(fields, entry);
  entry.other = fields.unread();
  return entry;
}

}  // namespace

ordered_json to_json_document(const TunedResult& result) {
  ordered_json json;
  json["schema"] = kSchema;
  json["version"] = kResultVersion;
  json["kernel"] = result.kernel;
  json["entries"] = ordered_json::array();
  for (const TunedEntry& entry : result.entries) json["entries"].push_back(entry_to_json(entry));
  append_unknown(json, result.other);
  return json;
}

TunedResult parse_tuned_result(const ordered_json& json, const std::string& origin) {
  // The version that is returned tells a later release what to migrate from.
  check_schema(json, kSchema, kResultVersion, origin);
  const Fields fields(json, origin + ": ");
  for (const char* key : {"schema", "version"}) fields.optional(key);
  TunedResult result;
  result.kernel = fields.text("kernel");
  for (const ordered_json& entry : fields.array("entries")) {
    const std::string place = fmt::format("{}/{}", fields.where("entries"), result.entries.size());
    result.entries.push_back(entry_from_json(entry, place));
  }
  result.other = fields.unread();
  return result;
}

}  // namespace tuner
