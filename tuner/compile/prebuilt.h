// Cubins compiled ahead of time, for machines that have no NVRTC: a folder of entries as in the
// cache (cubin_cache.h), whose keys leave the compiler out. Everything else is in the key, so that
// a cubin of another source, configuration or architecture is never found.
#pragma once

#include <filesystem>
#include <optional>

#include "tuner/compile/compiler.h"
#include "tuner/compile/include_scan.h"

namespace tuner {

// Adds what `job` compiled to, without its log. Throws TunerError where the folder cannot be
// written, and for a source that includes a header by a macro: what it consists of is not known.
void save_prebuilt(const std::filesystem::path& folder, const CompileJob& job,
                   const CompileResult& compiled);

// nullopt where there is none, or it is damaged. Throws TunerError where the source cannot be read.
std::optional<CompileResult> find_prebuilt(const std::filesystem::path& folder,
                                           const CompileJob& job, IncludeScanner& scanner);

}  // namespace tuner
