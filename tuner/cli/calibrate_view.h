// What `tuner calibrate` shows and writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/calibration.h"
#include "tuner/pipeline/calibrate.h"

namespace tuner {

struct CalibrationRun {
  models::Calibration calibration;
  ProbeTimes times;
  std::string driver;  // its version; empty where unknown
  double wall_s = 0;
};

bool any_used(const models::Calibration& calibration);

// A table of the figures: measured, residual, before, and what is to be said of each.
std::string calibration_text(const CalibrationRun& run, bool bold_heading);

// For --json, with every timed launch. `file`: the profile; empty where none was written.
nlohmann::ordered_json calibration_json(const CalibrationRun& run, const std::string& file);

// The profile as a file: tuner.device with `calibration` (docs/files.md).
nlohmann::ordered_json calibrated_profile(const CalibrationRun& run);

}  // namespace tuner
