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
      : nvrtc_(load_nvrtc(info.library)), cached_(std::move(info), options) {}

  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    done(cached_.run(job, [this](const CompileRequest& request) {
      return FreshCompile{compile(nvrtc_, request), {}};
    }));
  }
  void cancel() override {}
  int parallelism() const override { return 1; }

 private:
  const Nvrtc nvrtc_;
  CachedCompile cached_;
};

}  // namespace

std::unique_ptr<Compiler> make_in_process_compiler(const CompilerPoolOptions& options) {
  NvrtcInfo info = nvrtc_info();
  if (!info.found) throw TunerError(info.problem, ExitCode::no_device);
  return std::make_unique<InProcessCompiler>(std::move(info), options);
}

}  // namespace tuner
