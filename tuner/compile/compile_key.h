// What a compile depends on, as one key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/compile/include_scan.h"

namespace tuner {

// The compiler that a key is for: NVRTC's version and build, and its headers' version.
std::string describe_toolkit(const NvrtcInfo& nvrtc);

struct CompileKey {
  std::string text;  // 32 hex digits
  bool complete =
      true;  // false where a header may have been missed (see SourceScan): not to be trusted
  bool operator==(const CompileKey&) const = default;
};

// Of the job's source, the project's headers that it includes, options, entries, symbols and
// architecture. Throws TunerError where the source cannot be read.
CompileKey compile_key(const CompileJob& job, const std::string& toolkit, IncludeScanner& scanner);

// The include folders that a job has: its own, and those among its options, in the compiler's
// order.
std::vector<std::filesystem::path> include_folders(
    const std::vector<std::filesystem::path>& include_dirs,
    const std::vector<std::string>& options);

}  // namespace tuner
