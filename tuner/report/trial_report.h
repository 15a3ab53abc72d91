// What a report shows of one measured file, as plain data, and the part of a page that shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/device_profile.h"
#include "models/estimate.h"
#include "models/rank_quality.h"
#include "tuner/report/page.h"

namespace tuner {

// What the model makes of a trial, with the registers and spills that were compiled.
struct TrialModel {
  double predicted_ns = 0;
  double occupancy = 0;    // 0..1, of the launch with the most work
  double ilp = 1;          // independent chains a thread, likewise
  double moved_bytes = 0;  // to and from DRAM; 0 unknown
};

struct ReportTrial {
  std::vector<std::string> values;  // by parameter
  std::string status, reason;
  double time_ns = 0, low_ns = 0, high_ns = 0;  // where the status is "ok"
  bool abandoned = false, throttled = false;    // abandoned: time_ns is rough
  double compile_ms = 0;
  int registers = 0;  // a thread; 0 unknown
  std::int64_t spill_bytes = 0;
  std::optional<TrialModel> model;
  bool measured() const { return status == "ok" && time_ns > 0; }
};

// The fastest trial with the model's account of it.
struct ExplainedWinner {
  models::KernelShape shape;
  models::Estimate estimate;
};

struct TrialReport {
  std::string id;  // letters and digits: begins the ids of charts and tables
  std::string file, kernel, problem, cache, device;
  std::optional<models::DeviceProfile> profile;
  std::vector<std::string> parameters;
  std::vector<ReportTrial> trials;            // in the order in which they were made
  double useful_flops = 0, useful_bytes = 0;  // of a run; 0 unknown
  std::optional<std::size_t> winner;          // index of a trial
  std::string winner_id;
  std::optional<ExplainedWinner> explained;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> notes;  // what is missing, and what would bring it
};

// The fastest that was measured to the end; nullopt where there is none.
std::optional<std::size_t> fastest(const std::vector<ReportTrial>& trials);

void add_to(Page& page, const TrialReport& report);

}  // namespace tuner
