// What `report` and `compare --html` write, apart from their options.
#pragma once

#include <string>
#include <vector>

#include "tuner/pipeline/reporting.h"
#include "tuner/report/comparison.h"
#include "tuner/report/page.h"

namespace tuner {

struct ReportContent {
  Page page;
  std::vector<Chart> charts;
  std::vector<std::string> notes;  // what is missing of each file
};
// Throws TunerError like trial_report().
ReportContent report_content(const std::vector<std::string>& files, const ReportOptions& options);

// "<folder>/<chart>.svg"; makes the folder. Returns the paths.
std::vector<std::string> write_svgs(const std::vector<Chart>& charts, const std::string& folder);

// `first`, `second`: the files' names.
Page comparison_page(const std::string& kernel, const std::string& first, const std::string& second,
                     const TimeComparison& comparison);

}  // namespace tuner
