#include <mutex>
#include <optional>
#include <utility>

#include "expr/error.h"
#include "tuner/compile/cached_compile.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/nvrtc.h"
#include "tuner/compile/nvrtc_compile.h"

namespace tuner {
namespace {

class InProcessCompiler final : public Compiler {
 public:
  InProcessCompiler(NvrtcInfo info, const CompilerPoolOptions& options)
      : cached_(std::move(info), options) {}

  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    done(cached_.run(job, [this](const CompileRequest& request) {
      return FreshCompile{compile(nvrtc(), request), {}};
    }));
  }
  void cancel() override {}
  int parallelism() const override { return 1; }

 private:
  // Loaded when there is something to compile: what is cached is found without it.
  const Nvrtc& nvrtc() {
    const std::lock_guard lock(mutex_);
    if (!nvrtc_) nvrtc_ = load_nvrtc(cached_.nvrtc().library);
    return *nvrtc_;
  }

  CachedCompile cached_;
  std::mutex mutex_;  // guards what follows
  std::optional<Nvrtc> nvrtc_;
};

}  // namespace

std::unique_ptr<Compiler> make_in_process_compiler(const CompilerPoolOptions& options) {
  NvrtcInfo info = nvrtc_info_unloaded();
  if (!info.found) info = nvrtc_info();
  if (!info.found) throw TunerError(info.problem, ExitCode::no_device);
  return std::make_unique<InProcessCompiler>(std::move(info), options);
}

}  // namespace tuner
