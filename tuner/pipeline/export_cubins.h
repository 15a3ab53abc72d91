// Compiles tuned configurations for machines that have no NVRTC.
#pragma once

#include <filesystem>
#include <span>

#include "tuner/compile/compiler.h"
#include "tuner/embed/header.h"

namespace tuner {

// Compiles each configuration for the GPU that it was tuned on, and each kernel's fallbacks for all
// of these, and adds the cubins to `folder` (tuner/compile/prebuilt.h). Returns how many distinct
// ones there are. Throws TunerError naming a configuration that does not compile, or a folder that
// cannot be written.
std::size_t export_cubins(std::span<const ExportedKernel> kernels, Compiler& compiler,
                          const std::filesystem::path& folder);

}  // namespace tuner
