// Occupancy against instruction-level parallelism: the points of a study, what they show, and the
// table, chart and page of it. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/report/chart.h"
#include "tuner/report/counters.h"
#include "tuner/report/page.h"

namespace tuner {

// How a point came to its occupancy.
enum class Knob { ballast, block_size, registers, vector_width };
std::string to_string(Knob knob);  // "shared memory", "block size", "registers", "vector width"

struct StudyPoint {
  Knob knob = Knob::block_size;
  std::string config;            // id
  double ilp = 1;                // independent chains a thread, by the kernel's model
  std::int64_t ballast = 0;      // bytes of dynamic shared memory that nobody uses
  int register_limit = 0;        // asked for by --maxrregcount; 0: none
  int threads = 0;               // a block
  int registers = 0;             // a thread, as compiled; 0: not compiled
  std::int64_t spill_bytes = 0;  // a thread
  int blocks_per_sm = 0, warps_per_sm = 0;
  double occupancy = 0;     // 0..1
  double little_warps = 0;  // a SM, that Little's law asks for; 0 unknown
  // Of global loads: bytes of a lane's (the mean of several), bytes that a full SM has in flight,
  // and those that Little's law asks for. 0: no loads are described.
  double load_bytes = 0, in_flight = 0, needed_in_flight = 0;
  double predicted_ns = 0;
  std::string bound;                            // the model's
  double time_ns = 0, low_ns = 0, high_ns = 0;  // 0: not measured
  std::string failure;                          // why not, where it was tried
  std::optional<CounterRow> counters;           // where they were read
  bool measured() const { return time_ns > 0; }
};

struct Study {
  std::string kernel, problem, device;
  // Empty: the kernel has none.
  std::string ilp_parameter, block_parameter, width_parameter;
  std::string unit;  // "GFLOP/s", "GB/s" or "runs/s"
  double work = 0;   // work / ns is the throughput in `unit`
  double roof = 0;   // the device's, in `unit`; 0 unknown
  std::vector<StudyPoint> points;
  std::vector<StudyPoint> width_points;  // of memory parallelism: throughput by bytes in flight
  std::vector<std::string> notes;
};

double throughput(const Study& study, double time_ns);

// What one ILP needs.
struct StudyNeed {
  double ilp = 1;
  double best = 0;  // the highest share of the study's peak that it reaches
  // Smallest occupancies of its points: that reaches 95 % of the study's peak; that Little's law
  // asks for. nullopt: none does.
  std::optional<double> enough, little;
};
struct StudySummary {
  double peak = 0;               // in the study's unit
  std::vector<StudyNeed> needs;  // by ILP
};
// Of the predicted times, or of the measured ones.
StudySummary summarize(const Study& study, bool measured);

// The smallest register counts that were compiled without spilling, by ILP, where one spills.
struct SpillLimit {
  double ilp = 1;
  int spills_at = 0;     // the most registers a thread at which it spills
  double occupancy = 0;  // there
};
std::vector<SpillLimit> spill_limits(const Study& study);

// Memory parallelism at one width of loads.
struct WidthNeed {
  double load_bytes = 0;
  double best = 0;               // the highest share of the width points' peak that it reaches
  std::optional<double> enough;  // fewest bytes in flight a SM that reach 95 % of that peak
};
std::vector<WidthNeed> width_needs(const Study& study, bool measured);

Chart study_chart(const Study& study);
Chart width_chart(const Study& study);  // empty where no parameter changes the width of loads
std::vector<Chart> study_charts(const Study& study);  // those of them that are not empty
PageTable points_table(const Study& study);
PageTable needs_table(const Study& study);
PageTable widths_table(const Study& study);
PageTable study_counters_table(const Study& study);  // without rows where none were read
std::string study_text(const Study& study, bool color);
Page study_page(const Study& study);

}  // namespace tuner
