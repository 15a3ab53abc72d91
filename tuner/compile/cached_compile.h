// What every compiler does around the compile itself: the key, the cache in front of it, the
// complete command line.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/compile/compile_key.h"
#include "tuner/compile/compile_message.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/include_scan.h"

namespace tuner {

// What came of a request: the compiler's reply, or that there was none.
struct FreshCompile {
  std::optional<CompileReply> reply;
  CompileResult failure;  // where there is no reply
};

CompileResult compile_failure(CompileResult::Status status, std::string reason);

// Thread-safe.
class CachedCompile {
 public:
  // `options`: the cache's part of them.
  CachedCompile(NvrtcInfo nvrtc, const CompilerPoolOptions& options);

  const NvrtcInfo& nvrtc() const { return nvrtc_; }
  // The cache's answer, else what `compile` makes of the request, which is then cached. Does not
  // throw: a source that cannot be read is a failure, too.
  CompileResult run(const CompileJob& job,
                    const std::function<FreshCompile(const CompileRequest&)>& compile);

 private:
  CompileResult run_afresh(const CompileJob& job, const CompileKey& key,
                           const std::function<FreshCompile(const CompileRequest&)>& compile);
  CompileResult keep(const CompileJob& job, const CompileKey& key, const CompileReply& reply);

  const NvrtcInfo nvrtc_;
  const std::string toolkit_;
  IncludeScanner scanner_;
  CubinCache cache_;
};

}  // namespace tuner
