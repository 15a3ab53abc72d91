// What the tests of the store save: results and headers that are complete and valid.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/store/journal.h"
#include "tuner/store/result.h"

namespace tuner {

inline ResultDevice h200() { return {"NVIDIA H200", 90, 132, 150'000'000'000, "580.65.06"}; }
// Of the same compute capability.
inline ResultDevice h100() {
  return {"NVIDIA H100 80GB HBM3", 90, 132, 85'000'000'000, "580.65.06"};
}
inline ResultDevice a100() {
  return {"NVIDIA A100-SXM4-40GB", 80, 108, 42'000'000'000, "580.65.06"};
}

inline NamedValues config_of(std::int64_t block) { return {{"block", block}}; }
inline NamedValues problem_of(std::int64_t n, std::string dtype = "f32") {
  return {{"n", n}, {"dtype", std::move(dtype)}};
}

inline TunedEntry entry_of(std::int64_t n, double time_ns = 1000) {
  TunedEntry entry;
  entry.problem = problem_of(n);
  entry.cache = "cold";
  entry.device = h200();
  entry.winner = {config_of(256), time_ns, time_ns - 10, time_ns + 10, 500, 3000, 0.25, {}};
  entry.default_config = {config_of(64), 2 * time_ns, 2 * time_ns, 2 * time_ns, 250, 1500, 0.5, {}};
  entry.ties = {{config_of(128), time_ns + 1, time_ns - 9, time_ns + 11, 499, 2999, 0.25, {}}};
  entry.source_hash = "0123456789abcdef";
  entry.cuda = "13.0";
  entry.nvrtc = "13.0";
  entry.tool = "0.1.0";
  entry.date = "2025-03-01T12:00:00Z";
  entry.trials = 42;
  return entry;
}

inline JournalHeader header_of(std::int64_t n = 1024) {
  JournalHeader header;
  header.kernel = "saxpy";
  header.problem = problem_of(n);
  header.cache = "cold";
  header.device = "NVIDIA H200";
  header.source_hash = "0123456789abcdef";
  header.parameters = {"block", "unroll"};
  header.seed = 18446744073709551615u;
  header.tool = "0.1.0";
  header.date = "2025-03-01T12:00:00Z";
  return header;
}

// The message of the TunerError that `action` throws; a failure where it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const TunerError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected a TunerError";
  return {};
}

}  // namespace tuner
