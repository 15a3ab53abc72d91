// A whole space, or a part of it, measured on one GPU: what search and model are tested on where
// there is none. Schema "tuner.recording", gzipped JSON (docs/files.md). Plain data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "search/trial.h"
#include "tuner/store/named_values.h"

namespace tuner {

struct RecordedParameter {
  std::string name;
  std::vector<Value> values;  // in declared order
};

struct RecordedTrial {
  std::vector<Value> values;  // by parameter, in the recording's order
  search::Status status = search::Status::ok;
  double time_ns = 0, low_ns = 0, high_ns = 0;  // median and its 95 % interval, where status is ok
  int samples = 0;
  double compile_ms = 0;
  int registers = 0;  // a thread
  std::int64_t spill_bytes = 0;
  std::string reason;
};

struct Recording {
  std::string kernel;
  NamedValues problem;
  std::string cache;
  models::DeviceProfile device;
  std::vector<RecordedParameter> parameters;
  std::vector<RecordedTrial> trials;
  std::string source_hash, cuda, driver, tool, date;
  nlohmann::ordered_json other;  // keys that this version does not know
};

// Trials are arrays, whose fields "columns" names: a reader finds them by name, and leaves out the
// columns that it does not know.
nlohmann::ordered_json to_json_document(const Recording& recording);
// Throws TunerError naming `origin`, the JSON pointer and what was expected.
Recording parse_recording(const nlohmann::ordered_json& json, const std::string& origin);

// Gzipped, atomically. Reading takes plain JSON too.
void save_recording(const std::filesystem::path& path, const Recording& recording);
Recording load_recording(const std::filesystem::path& path);

}  // namespace tuner
