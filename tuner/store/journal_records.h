// One line of a journal each, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tuner/store/journal.h"

namespace tuner {

inline constexpr int kJournalVersion = 1;

nlohmann::ordered_json header_to_json(const JournalHeader& header);
nlohmann::ordered_json started_to_json(const NamedValues& config);
nlohmann::ordered_json trial_to_json(const JournalTrial& trial);

// `where` begins the messages: "run.jsonl:1".
JournalHeader header_from_json(const nlohmann::ordered_json& json, const std::string& where);
JournalTrial trial_from_json(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace tuner
