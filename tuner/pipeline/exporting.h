// Gathers the tuned configurations of kernels, for a header that ships them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tuner/embed/header.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

struct ExportRequest {
  std::vector<KernelDescription> kernels;
  std::vector<std::filesystem::path> folders;  // of results; the first that has a key wins
  // "cold" or "warm": results of that mode only; "any": of a problem and GPU the cold one, else the
  // warm one.
  std::string cache = "any";
  std::vector<std::string> gpus;  // file names of results without .json; empty: all
  std::vector<models::DeviceProfile> profiles;
  // Without it ExportedConfig::code stays empty, and kernels whose launches only a compiled kernel
  // can tell are gathered, too.
  bool code = true;
};

struct ExportOutcome {
  std::vector<ExportedKernel> kernels;
  // Results that were left out, with the reason: stale ones, and those that the kernel's space no
  // longer holds.
  std::vector<std::string> warnings;
};

// Behind the tuned configurations stands a fallback for each set of axes that are no sizes: the
// kernel's default. Throws TunerError: a file that cannot be read, a kernel without usable results
// (naming where it was looked), launches that only a compiled kernel can tell.
ExportOutcome gather_exports(const ExportRequest& request);

}  // namespace tuner
