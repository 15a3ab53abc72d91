#include "tuner/store/recording.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"

namespace tuner {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "tuner.recording";
constexpr int kVersion = 1;

ordered_json values_to_json(const std::vector<Value>& values) {
  ordered_json array = ordered_json::array();
  for (const Value& value : values) array.push_back(to_json_value(value));
  return array;
}

std::vector<Value> values_from_json(const ordered_json& array, const std::string& where) {
  if (!array.is_array()) throw TunerError(where + ": expected an array.");
  std::vector<Value> values;
  for (const ordered_json& value : array) values.push_back(value_from_json(value, where));
  return values;
}

// In the order of columns().
ordered_json row_of(const RecordedTrial& trial) {
  return ordered_json::array({values_to_json(trial.values),
                              std::string(search::to_string(trial.status)), trial.time_ns,
                              trial.low_ns, trial.high_ns, trial.samples, trial.compile_ms,
                              trial.registers, trial.spill_bytes, trial.reason});
}

ordered_json columns() {
  return ordered_json::array({"values", "status", "time_ns", "low_ns", "high_ns", "samples",
                              "compile_ms", "registers", "spill_bytes", "reason"});
}

// The row as an object, by the names of its columns.
ordered_json named_row(const ordered_json& row, const ordered_json& names,
                       const std::string& where) {
  if (!row.is_array() || row.size() != names.size()) {
    throw TunerError(fmt::format("{}: expected an array of {} values.", where, names.size()));
  }
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string()) throw TunerError(where + ": a column's name is no string.");
    object[names[i].get<std::string>()] = row[i];
  }
  return object;
}

void check_values(const RecordedTrial& trial, const Recording& recording,
                  const std::string& where) {
  if (trial.values.size() != recording.parameters.size()) {
    throw TunerError(fmt::format("{}: {} values for {} parameters.", where, trial.values.size(),
                                 recording.parameters.size()));
  }
}

// Failed trials may well have a time of zero; a measured one may not.
void check_time(const RecordedTrial& trial, const std::string& where) {
  const double most = std::numeric_limits<double>::max();
  if (trial.status == search::Status::ok && !(trial.time_ns > 0 && trial.time_ns <= most)) {
    throw TunerError(fmt::format("{}: a measured trial without a time.", where));
  }
}

RecordedTrial trial_from_json(const ordered_json& item, const std::string& where) {
  const Fields fields(item, where);
  RecordedTrial trial;
  trial.values = values_from_json(fields.array("values"), fields.where("values"));
  const std::string status = fields.text("status");
  if (const auto known = search::status_from_string(status)) {
    trial.status = *known;
  } else {
    throw TunerError(fmt::format("{}: \"{}\" is no status of a trial.", where, status));
  }
  trial.time_ns = fields.number_or("time_ns", 0);
  trial.low_ns = fields.number_or("low_ns", trial.time_ns);
  trial.high_ns = fields.number_or("high_ns", trial.time_ns);
  trial.samples = static_cast<int>(fields.integer_or("samples", 0));
  trial.compile_ms = fields.number_or("compile_ms", 0);
  trial.registers = static_cast<int>(fields.integer_or("registers", 0));
  trial.spill_bytes = fields.integer_or("spill_bytes", 0);
  trial.reason = fields.text_or("reason", "");
  return trial;
}

void read_trials(const Fields& fields, Recording& recording) {
  const ordered_json& names = fields.array("columns");
  for (const ordered_json& row : fields.array("trials")) {
    const std::string where = fmt::format("{}/{}", fields.where("trials"), recording.trials.size());
    RecordedTrial trial = trial_from_json(named_row(row, names, where), where);
    check_values(trial, recording, where);
    check_time(trial, where);
    recording.trials.push_back(std::move(trial));
  }
}

void read_parameters(const Fields& fields, Recording& recording) {
  for (const ordered_json& parameter : fields.array("parameters")) {
    const Fields one(parameter,
                     fmt::format("{}/{}", fields.where("parameters"), recording.parameters.size()));
    recording.parameters.push_back(
        {one.text("name"), values_from_json(one.array("values"), one.where("values"))});
  }
}

}  // namespace

ordered_json to_json_document(const Recording& recording) {
  ordered_json document;
  document["schema"] = kSchema;
  document["version"] = kVersion;
  document["kernel"] = recording.kernel;
  document["problem"] = to_json_object(recording.problem);
  document["cache"] = recording.cache;
  document["device"] = json(recording.device);
  document["source_hash"] = recording.source_hash;
  document["cuda"] = recording.cuda;
  document["driver"] = recording.driver;
  document["tool"] = recording.tool;
  document["date"] = recording.date;
  document["parameters"] = ordered_json::array();
  for (const auto& [name, values] : recording.parameters) {
    document["parameters"].push_back({{"name", name}, {"values", values_to_json(values)}});
  }
  document["columns"] = columns();
  document["trials"] = ordered_json::array();
  for (const RecordedTrial& trial : recording.trials) document["trials"].push_back(row_of(trial));
  if (recording.other.is_object()) {
    for (const auto& [key, value] : recording.other.items()) {
      if (!document.contains(key)) document[key] = value;
    }
  }
  return document;
}

Recording parse_recording(const ordered_json& document, const std::string& origin) {
  check_schema(document, kSchema, kVersion, origin);
  const Fields fields(document, origin + ": ");
  for (const char* key : {"schema", "version"}) fields.optional(key);
  Recording recording;
  recording.kernel = fields.text("kernel");
  recording.problem = fields.values("problem");
  recording.cache = fields.text("cache");
  recording.device =
      models::parse_device_profile(json(fields.object("device")), fields.where("device"));
  recording.source_hash = fields.text_or("source_hash", "");
  recording.cuda = fields.text_or("cuda", "");
  recording.driver = fields.text_or("driver", "");
  recording.tool = fields.text_or("tool", "");
  recording.date = fields.text_or("date", "");
  read_parameters(fields, recording);
  read_trials(fields, recording);
  recording.other = fields.unread();
  return recording;
}

void save_recording(const std::filesystem::path& path, const Recording& recording) {
  write_gzip_atomically(path, dump_json(to_json_document(recording), -1) + "\n");
}

Recording load_recording(const std::filesystem::path& path) {
  return parse_recording(parse_json(read_gzip_or_plain(path), path.string()), path.string());
}

}  // namespace tuner
