// What tuning a kernel on one kind of GPU found: the file <configs>/<kernel>/<gpu>.json, of schema
// "tuner.result" (docs/files.md, docs/schemas/result.schema.json). Plain data.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/store/named_values.h"

namespace tuner {

inline constexpr int kResultVersion = 1;

struct ResultDevice {
  std::string name;            // as the driver says: "NVIDIA H200"
  int compute_capability = 0;  // major * 10 + minor
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::string driver;              // its version, "580.65.06"; says nothing of which GPU it is
  nlohmann::ordered_json other{};  // keys that this version does not know
};
// Name and size agree: GPUs sold under one name may differ (A100 with 40 and 80 GB).
bool same_gpu(const ResultDevice& a, const ResultDevice& b);

// What one kernel of a configuration was compiled to, for the GPU's compute capability.
struct CompiledKernel {
  std::string entry;               // its name expression
  int registers = 0;               // a thread
  std::int64_t static_shared = 0;  // bytes a block
  std::int64_t spill_bytes = 0;    // a thread, stored and loaded
};

// A configuration, measured and verified.
struct MeasuredConfig {
  NamedValues config;
  double time_ns = 0;              // median
  double low_ns = 0, high_ns = 0;  // its 95 % interval
  double gflops = 0, gbps = 0;     // useful work; 0 where the kernel does not describe it
  double error = 0;                // the largest, over its tolerance: at most 1
  nlohmann::ordered_json other;    // keys that this version does not know
  // Of the winner and the default, where it is known; older files have none.
  std::vector<CompiledKernel> compiled{};
};

// The winner for one problem, cache mode and GPU.
struct TunedEntry {
  NamedValues problem;  // every axis, in declared order
  std::string cache;    // "cold" or "warm"
  ResultDevice device;
  MeasuredConfig winner;
  // Its config is empty where the kernel's default is not valid here; its time is 0 where it
  // failed, and default_failure says why.
  MeasuredConfig default_config;
  std::string default_failure;
  std::vector<MeasuredConfig> ties;  // others within the noise of the winner
  std::string source_hash;           // of source, headers and options
  std::string cuda, nvrtc;           // versions: "13.0"
  std::string tool;                  // version of the tuner
  std::string date;                  // UTC, ISO 8601
  std::int64_t trials = 0;           // configurations measured
  bool throttled = false;            // the clock fell while the finalists were measured
  nlohmann::ordered_json other;
};

struct TunedResult {
  std::string kernel;
  std::vector<TunedEntry> entries;  // ordered by problem, then cache mode, then device
  nlohmann::ordered_json other;
};

bool same_key(const TunedEntry& a, const TunedEntry& b);  // problem, cache mode and GPU
// Replaces the entry of the same key, its unknown keys included (they told of the old measurement).
void merge_entry(TunedResult& result, TunedEntry entry);

nlohmann::ordered_json to_json_document(const TunedResult& result);
// Accepts every version from 1 to kResultVersion. Throws TunerError naming `origin`, the JSON
// pointer and what was expected.
TunedResult parse_tuned_result(const nlohmann::ordered_json& json, const std::string& origin);

std::string utc_now();  // "2025-03-01T12:00:00Z"

}  // namespace tuner
