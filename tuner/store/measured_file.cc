#include "tuner/store/measured_file.h"

#include <fmt/format.h>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"
#include "tuner/store/journal.h"
#include "tuner/store/recording.h"
#include "tuner/store/result.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

MeasuredFile of_result(const TunedResult& result) {
  MeasuredFile file{"tuner.result", result.kernel, {}};
  for (const TunedEntry& entry : result.entries) {
    const MeasuredConfig& winner = entry.winner;
    file.times.push_back(
        {fmt::format("{} {} on {}", to_string(entry.problem), entry.cache, entry.device.name),
         winner.time_ns, winner.low_ns, winner.high_ns});
  }
  return file;
}

MeasuredFile of_journal(const JournalContent& journal) {
  MeasuredFile file{"tuner.journal", journal.header.kernel, {}};
  for (const JournalTrial& trial : journal.trials) {
    if (trial.status != search::Status::ok || trial.abandoned) continue;
    file.times.push_back({to_string(trial.config), trial.time_ns, trial.low_ns, trial.high_ns});
  }
  return file;
}

MeasuredFile of_recording(const Recording& recording) {
  MeasuredFile file{"tuner.recording", recording.kernel, {}};
  for (const RecordedTrial& trial : recording.trials) {
    if (trial.status != search::Status::ok) continue;
    NamedValues config;
    for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
      config.emplace_back(recording.parameters[i].name, trial.values[i]);
    }
    file.times.push_back({to_string(config), trial.time_ns, trial.low_ns, trial.high_ns});
  }
  return file;
}

// Of the first line, which is all of a journal that is one JSON document.
std::string schema_of(const std::string& text, const std::string& origin) {
  const ordered_json whole = ordered_json::parse(text, nullptr, false);
  const ordered_json json =
      whole.is_discarded() ? ordered_json::parse(text.substr(0, text.find('\n')), nullptr, false)
                           : whole;
  if (json.is_object() && json.contains("schema") && json["schema"].is_string()) {
    return json["schema"].get<std::string>();
  }
  throw TunerError(fmt::format(
      "{}: this is no tuned result, journal or recording (it names no schema)", origin));
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& schema) {
  throw TunerError(
      fmt::format("{}: \"{}\" holds no measured times; a tuned result, a journal or a "
                  "recording does",
                  path.string(), schema));
}

}  // namespace

std::string measured_schema(const std::filesystem::path& path) {
  std::string schema = schema_of(read_gzip_or_plain(path), path.string());
  if (schema != "tuner.journal" && schema != "tuner.result" && schema != "tuner.recording") {
    refuse(path, schema);
  }
  return schema;
}

MeasuredFile load_measured_file(const std::filesystem::path& path) {
  const std::string text = read_gzip_or_plain(path);
  const std::string schema = schema_of(text, path.string());
  if (schema == "tuner.journal") return of_journal(read_journal(path));
  const ordered_json json = parse_json(text, path.string());
  if (schema == "tuner.result") return of_result(parse_tuned_result(json, path.string()));
  if (schema == "tuner.recording") return of_recording(parse_recording(json, path.string()));
  refuse(path, schema);
}

}  // namespace tuner
