// A classic experiment's table, the ratio that matters, and why. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/report/counters.h"
#include "tuner/report/page.h"

namespace tuner {

struct LabRow {
  std::string label;
  std::string config;            // id
  int threads = 0;               // a block
  int registers = 0;             // a thread, as compiled; 0: not compiled
  std::int64_t spill_bytes = 0;  // a thread
  int blocks_per_sm = 0;
  std::optional<int> driver_blocks_per_sm;  // as the driver counts them; nullopt: not asked
  double occupancy = 0;                     // 0..1
  std::string limiters;                     // of the occupancy
  double predicted_ns = 0;
  std::string bound;    // the model's
  double time_ns = 0;   // 0: not measured
  double first_ns = 0;  // the first run, which verified it; 0: not measured
  double work = 0;      // work / ns is the throughput
  // FLOPs by byte from and to DRAM, and by byte between the SMs and L2, as the model sees them, and
  // the device's roof there, GFLOP/s; 0: the work is no FLOPs.
  double intensity = 0, l2_intensity = 0, roof = 0;
  double sectors = 0;                  // a request, of the first global load; 0: none
  double wavefronts = 0;               // the most bank wavefronts of a shared access
  std::string failure;                 // why there is no time, or no launch
  std::optional<CounterRow> counters;  // of the launch with the most threads, where they were read
};

// The block size of the highest occupancy, and the blocks of it that fill the GPU.
struct SuggestedBlock {
  int block = 0, min_grid = 0;
};

struct LabReport {
  std::string name, title, device, unit, why;
  std::string baseline;  // label of the row that ratios are to
  std::vector<LabRow> rows;
  bool measured = false;
  std::optional<SuggestedBlock> suggested, suggested_by_driver;  // for the baseline
  std::vector<std::string> notes;
};

PageTable lab_table(const LabReport& report);
PageTable lab_counters_table(const LabReport& report);  // without rows where none were read
// "slowest / fastest: 4.1 measured, 3.9 predicted", and the row against its baseline.
std::string lab_ratio(const LabReport& report);
// Empty where none is suggested.
std::string suggestion_text(const LabReport& report);
std::string lab_text(const LabReport& report, bool color);

}  // namespace tuner
