#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"
#include "tuner/store/journal.h"
#include "tuner/store/journal_records.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

auto find_unfinished(std::vector<UnfinishedTrial>& unfinished, const NamedValues& config) {
  return std::find_if(unfinished.begin(), unfinished.end(),
                      [&](const auto& trial) { return same_values(trial.config, config); });
}

void note_started(JournalContent& content, NamedValues config) {
  const auto found = find_unfinished(content.unfinished, config);
  if (found != content.unfinished.end()) {
    ++found->starts;
  } else {
    content.unfinished.push_back({std::move(config), 1});
  }
}

void note_trial(JournalContent& content, JournalTrial trial) {
  const auto found = find_unfinished(content.unfinished, trial.config);
  if (found != content.unfinished.end()) content.unfinished.erase(found);
  content.trials.push_back(std::move(trial));
}

void read_record(const ordered_json& json, const std::string& where, JournalContent& content) {
  const Fields fields(json, where + ": ");
  const std::string kind = fields.text("record");
  if (kind == "started") note_started(content, fields.values("config"));
  if (kind == "trial") note_trial(content, trial_from_json(json, where));
}

// The first line decides what the file is, so it must be whole.
void read_line(std::string_view line, int number, const std::string& file,
               JournalContent& content) {
  const std::string where = fmt::format("{}:{}", file, number);
  const ordered_json json = parse_json(std::string(line), where);
  if (number == 1) {
    content.header = header_from_json(json, where);
  } else {
    read_record(json, where, content);
  }
}

}  // namespace

JournalContent read_journal(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  JournalContent content;
  int number = 0;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    ++number;
    if (end > at || number == 1) {
      read_line(std::string_view(text).substr(at, end - at), number, path.string(), content);
    }
  }
  // What follows the last line's end was being written when the writer was stopped.
  content.truncated = at < text.size();
  if (number == 0) {
    throw TunerError(
        fmt::format("{} is no journal: it has no complete first line. Remove it, or "
                    "choose another file.",
                    path.string()));
  }
  return content;
}

std::optional<std::string> resume_obstacle(const JournalHeader& found,
                                           const JournalHeader& wanted) {
  const auto differs = [](std::string_view what, const std::string& a, const std::string& b) {
    return fmt::format("its {} is \"{}\", and this run's is \"{}\"", what, a, b);
  };
  if (found.kernel != wanted.kernel) return differs("kernel", found.kernel, wanted.kernel);
  if (!same_values(found.problem, wanted.problem)) {
    return differs("problem", to_string(found.problem), to_string(wanted.problem));
  }
  if (found.cache != wanted.cache) return differs("cache mode", found.cache, wanted.cache);
  if (found.device != wanted.device) return differs("device", found.device, wanted.device);
  if (found.source_hash != wanted.source_hash) {
    return "the kernel's source or options have changed since";
  }
  if (found.parameters != wanted.parameters) return "the kernel's parameters have changed since";
  if (found.seed != wanted.seed) {
    return differs("seed", std::to_string(found.seed), std::to_string(wanted.seed));
  }
  return std::nullopt;
}

std::vector<const JournalTrial*> last_trials(const JournalContent& journal) {
  std::map<std::string, std::size_t> places;
  std::vector<const JournalTrial*> trials;
  for (const JournalTrial& trial : journal.trials) {
    const auto [place, is_new] = places.try_emplace(to_string(trial.config), trials.size());
    if (is_new) {
      trials.push_back(&trial);
    } else {
      trials[place->second] = &trial;
    }
  }
  return trials;
}

}  // namespace tuner
