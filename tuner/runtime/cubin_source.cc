#include "tuner/runtime/cubin_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "expr/error.h"
#include "tuner/compile/cached_compile.h"
#include "tuner/compile/prebuilt.h"

namespace tuner::runtime {
namespace {

std::string list_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> texts;
  for (const auto& folder : folders) texts.push_back(folder.string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

CubinSource::CubinSource(std::vector<std::filesystem::path> prebuilt, std::filesystem::path cache,
                         bool compile)
    : prebuilt_(std::move(prebuilt)), cache_(std::move(cache)), may_compile_(compile) {}

CompileResult CubinSource::get(const CompileJob& job) {
  try {
    for (const std::filesystem::path& folder : prebuilt_) {
      if (auto found = find_prebuilt(folder, job, scanner_)) return std::move(*found);
    }
  } catch (const TunerError& error) {
    return compile_failure(CompileResult::Status::error, error.what());
  }
  CompileResult result = compile(job);
  if (result.status != CompileResult::Status::ok && !prebuilt_.empty()) {
    result.reason += fmt::format(" No cubin for it (sm_{}, the kernel as it is now) is in {}.",
                                 job.architecture, list_of(prebuilt_));
  }
  return result;
}

CompileResult CubinSource::compile(const CompileJob& job) {
  if (!may_compile_) {
    return compile_failure(CompileResult::Status::error, "Compiling is switched off.");
  }
  std::string problem;
  Compiler* compiler = this->compiler(problem);
  if (compiler == nullptr) return compile_failure(CompileResult::Status::error, problem);
  return compile_and_wait(*compiler, job);
}

Compiler* CubinSource::compiler(std::string& problem) {
  const std::lock_guard lock(mutex_);
  if (compiler_ == nullptr && no_compiler_.empty()) {
    CompilerPoolOptions options;
    options.cache_folder = cache_;
    try {
      compiler_ = make_in_process_compiler(options);
    } catch (const TunerError& error) {
      no_compiler_ = error.what();
    }
  }
  problem = no_compiler_;
  return compiler_.get();
}

}  // namespace tuner::runtime
