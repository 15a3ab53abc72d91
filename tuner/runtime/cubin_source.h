// Where a program's cubins come from: those made ahead of time, else NVRTC in this process with the
// user's cache in front.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/compile/include_scan.h"

namespace tuner::runtime {

// Thread-safe; NVRTC is loaded when it is first needed.
class CubinSource {
 public:
  // `cache`: empty for the user's own. `compile`: whether NVRTC may be used.
  CubinSource(std::vector<std::filesystem::path> prebuilt, std::filesystem::path cache,
              bool compile);

  // Does not throw: a failure says why, and where it was looked.
  CompileResult get(const CompileJob& job);

 private:
  CompileResult compile(const CompileJob& job);
  Compiler* compiler(std::string& problem);

  const std::vector<std::filesystem::path> prebuilt_;
  const std::filesystem::path cache_;
  const bool may_compile_;
  IncludeScanner scanner_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<Compiler> compiler_;
  std::string no_compiler_;  // why there is none
};

}  // namespace tuner::runtime
