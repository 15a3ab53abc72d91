// From measured files to what a report shows of them: reads the file, finds its kernel and its
// device, and asks the model about every trial.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tuner/report/result_report.h"
#include "tuner/report/trial_report.h"

namespace tuner {

struct ReportOptions {
  std::string kernel;                           // folder or name; empty: what the file says
  std::vector<models::DeviceProfile> devices;   // known profiles: a journal names its device only
  std::optional<models::DeviceProfile> device;  // asked for, and taken for every journal and result
};

// Of a journal or a recording. A kernel or a device that is not known here costs the parts that
// need it, and `notes` say so; one that was asked for by name and does not fit throws. Throws
// TunerError naming the file where it is neither, or damaged.
TrialReport trial_report(const std::filesystem::path& path, const ReportOptions& options);

// Of a tuned result. Likewise.
ResultReport result_report(const std::filesystem::path& path, const ReportOptions& options);

}  // namespace tuner
