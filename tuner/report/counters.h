// Hardware counters of a launch beside what the model has in their place. Plain data.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/report/page.h"

namespace tuner {

// Of one launch; nullopt: not told.
struct Counters {
  std::optional<double> load_sectors, store_sectors;  // a request to global memory
  std::optional<double> dram_read, dram_written;      // bytes
  std::optional<double> l1_hit, l2_hit;               // share of the sectors asked for, 0..1
  std::optional<double> occupancy;                    // 0..1: achieved; the model's is theoretical
  // Wavefronts of shared memory beyond those that the same requests take without conflicts.
  std::optional<double> bank_conflicts;
};

struct CounterRow {
  std::string label;
  Counters model, measured;
};

// Two columns each, the model's first.
PageTable counters_table(const std::vector<CounterRow>& rows);
// {"model": {…}, "measured": {…}}: null where not told.
nlohmann::ordered_json counters_json(const CounterRow& row);

}  // namespace tuner
