// The charts of a measured file's trials. A chart that has nothing to show is empty.
#pragma once

#include <vector>

#include "tuner/report/chart.h"
#include "tuner/report/trial_report.h"

namespace tuner {

// GFLOP/s by FLOPs a byte that the model sees moved, under the device's roofs; for a kernel without
// FLOPs useful GB/s by the useful share of the bytes moved.
Chart roofline_chart(const TrialReport& report);
Chart progress_chart(const TrialReport& report);
Chart occupancy_chart(const TrialReport& report);
Chart model_chart(const TrialReport& report);
Chart failures_chart(const TrialReport& report);
// One for each parameter with more than one value among the trials, small.
std::vector<Chart> parameter_charts(const TrialReport& report);

// All of them that are not empty, in the order of the page.
std::vector<Chart> trial_charts(const TrialReport& report);

}  // namespace tuner
