// A classic experiment's table, the ratio that matters, and why. Plain data.
#pragma once

#include <string>
#include <vector>

#include "tuner/report/page.h"

namespace tuner {

struct LabRow {
  std::string label;
  std::string config;  // id
  int threads = 0;     // a block
  int registers = 0;   // a thread, as compiled; 0: not compiled
  int blocks_per_sm = 0;
  double occupancy = 0;  // 0..1
  std::string limiters;  // of the occupancy
  double predicted_ns = 0;
  std::string bound;      // the model's
  double time_ns = 0;     // 0: not measured
  double work = 0;        // work / ns is the throughput
  double sectors = 0;     // a request, of the first global load; 0: none
  double wavefronts = 0;  // the most bank wavefronts of a shared access
  std::string failure;    // why there is no time, or no launch
};

struct LabReport {
  std::string name, title, device, unit, why;
  std::string baseline;  // label of the row that ratios are to
  std::vector<LabRow> rows;
  bool measured = false;
};

PageTable lab_table(const LabReport& report);
// "slowest / fastest: 4.1 measured, 3.9 predicted", and the row against its baseline.
std::string lab_ratio(const LabReport& report);
std::string lab_text(const LabReport& report, bool color);

}  // namespace tuner
