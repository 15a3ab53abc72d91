// Writes tuned configurations as one C++17 header that needs nothing else. What is in it is told
// by docs/export.md; the fixed part is prelude.cc. Pure: the same input gives the same bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/device_profile.h"
#include "tuner/kernel/code.h"
#include "tuner/kernel/kernel.h"
#include "tuner/store/result.h"

namespace tuner {

// A configuration and the problem and GPU that it is for.
struct ExportedConfig {
  std::string id;
  bool fallback = false;  // the kernel's default: for any sizes and device, never tuned
  NamedValues problem;    // every axis
  NamedValues config;     // every parameter
  std::string cache;      // that it was measured with
  MeasuredConfig score;
  models::DeviceProfile device;
  std::string source_hash, date, cuda, tool;
  ConfigCode code;
  BuildPlan build{};  // what it is compiled from; no part of a header
};

struct ExportedKernel {
  KernelDescription description;
  std::vector<ExportedConfig> configs;  // in the order of preference among equals
};

// `name_space`: what the kernels' namespaces stand in; an identifier. Throws TunerError where a
// name of a kernel cannot be one in C++.
std::string export_header(std::span<const ExportedKernel> kernels, const std::string& name_space);

// The part that is the same in every header.
std::string_view export_prelude();

}  // namespace tuner
