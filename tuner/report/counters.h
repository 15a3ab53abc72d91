// Hardware counters of a launch beside what the model has in their place. Plain data.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/report/page.h"

namespace tuner {

// What tells the memory instructions of a compiled kernel apart.
struct AccessKind {
  bool shared = false;  // shared memory, else global
  bool store = false;
  int width_bytes = 0;  // a lane

  bool operator==(const AccessKind&) const = default;
  bool operator<(const AccessKind& other) const {
    return std::tie(shared, store, width_bytes) <
           std::tie(other.shared, other.store, other.width_bytes);
  }
};

// Of all instructions of a kind in a launch.
struct AccessCounts {
  AccessKind kind;
  double requests = 0;    // instructions, a warp each
  double sectors = 0;     // of 32 bytes; global memory
  double wavefronts = 0;  // shared memory
};

// Of one launch; nullopt: not told.
struct Counters {
  std::optional<double> load_sectors, store_sectors;  // a request to global memory
  std::optional<double> dram_read, dram_written;      // bytes
  std::optional<double> l1_hit, l2_hit;               // share of the sectors asked for, 0..1
  std::optional<double> occupancy;                    // 0..1: achieved; the model's is theoretical
  std::optional<double> instructions;                 // executed, a warp each
  // Wavefronts of shared memory beyond those that the same requests take without conflicts.
  std::optional<double> bank_conflicts;
  std::vector<AccessCounts> accesses;  // a kind each, in order; empty: not told
};

// The accesses of the source that are of one kind, by their names; none where only the compiled
// kernel has such.
struct AccessRow {
  std::string names;
  AccessKind kind;
  std::optional<AccessCounts> model, measured;
};

struct CounterRow {
  std::string label;
  Counters model, measured;
  std::vector<AccessRow> accesses = {};  // where `measured` has them
};

// Two columns each, the model's first.
PageTable counters_table(const std::vector<CounterRow>& rows);
// A launch's accesses; two columns each, the model's first.
PageTable accesses_table(const CounterRow& row);
// {"model": {…}, "measured": {…}}: null where not told; with "accesses" where there are some.
nlohmann::ordered_json counters_json(const CounterRow& row);

}  // namespace tuner
