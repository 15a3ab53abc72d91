#include "tuner/compile/cached_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using Status = CompileResult::Status;

bool has_option(const std::vector<std::string>& options, const std::vector<std::string>& prefixes) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return option.starts_with(prefix); });
  });
}

// The command line of NVRTC: what every compile needs, the job's own options, the include folders
// in order.
std::vector<std::string> complete_options(const CompileJob& job, const fs::path& toolkit_dir) {
  std::vector<std::string> result{"--ptxas-options=-v"};
  if (!has_option(job.options, {"--gpu-architecture", "-arch"})) {
    result.push_back(fmt::format("--gpu-architecture=sm_{}", job.architecture));
  }
  if (!has_option(job.options, {"--std", "-std"})) result.emplace_back("--std=c++17");
  result.push_back("-I" + fs::absolute(job.source).parent_path().string());
  for (const fs::path& folder : job.include_dirs) result.push_back("-I" + folder.string());
  result.insert(result.end(), job.options.begin(), job.options.end());
  if (!toolkit_dir.empty()) {
    result.push_back("-I" + toolkit_dir.string());
    result.push_back("-I" + (toolkit_dir / "cccl").string());
  }
  return result;
}

CubinCacheOptions cache_options(const CompilerPoolOptions& options) {
  CubinCacheOptions result;
  result.max_bytes = options.cache_bytes;
  result.remember = options.use_cache;
  if (!options.use_cache) return result;
  try {
    result.folder =
        options.cache_folder.empty() ? user_cache_folder() / "cubins" : options.cache_folder;
  } catch (const TunerError&) {
    // A user without a home has a temporary folder.
  }
  return result;
}

}  // namespace

CompileResult compile_failure(Status status, std::string reason) {
  CompileResult result;
  result.status = status;
  result.reason = std::move(reason);
  return result;
}

CachedCompile::CachedCompile(NvrtcInfo nvrtc, const CompilerPoolOptions& options)
    : nvrtc_(std::move(nvrtc)),
      toolkit_(describe_toolkit(nvrtc_)),
      cache_(cache_options(options)) {}

CompileResult CachedCompile::run(
    const CompileJob& job, const std::function<FreshCompile(const CompileRequest&)>& compile) {
  try {
    const CompileKey key = compile_key(job, toolkit_, scanner_);
    if (key.complete) {
      if (auto found = cache_.find(key.text)) return std::move(*found);
    }
    return run_afresh(job, key, compile);
  } catch (const std::exception& error) {
    return compile_failure(Status::error, error.what());
  }
}

CompileResult CachedCompile::run_afresh(
    const CompileJob& job, const CompileKey& key,
    const std::function<FreshCompile(const CompileRequest&)>& compile) {
  const auto& known = nvrtc_.architectures;
  if (!known.empty() && std::find(known.begin(), known.end(), job.architecture) == known.end()) {
    return compile_failure(Status::error, fmt::format("NVRTC {} cannot compile for sm_{}",
                                                      nvrtc_.version, job.architecture));
  }
  FreshCompile fresh =
      compile({job.source.string(), read_file(job.source),
               complete_options(job, nvrtc_.include_dir), job.entries, job.symbols, job.keep_ptx});
  return fresh.reply ? keep(job, key, *fresh.reply) : std::move(fresh.failure);
}

CompileResult CachedCompile::keep(const CompileJob& job, const CompileKey& key,
                                  const CompileReply& reply) {
  if (!reply.ok) {
    CompileResult result = compile_failure(Status::error, reply.reason);
    result.log = reply.log;
    result.compile_ms = reply.compile_ms;
    return result;
  }
  // A file that changed while it was compiled must not be found under what it was before.
  const bool unchanged = compile_key(job, toolkit_, scanner_) == key;
  return cache_.store(key.text, reply, key.complete && unchanged);
}

}  // namespace tuner
