// A built-in kernel at the configuration that the tuner stored for just this problem.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/peers/contender.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/gpu.h"
#include "tuner/measure/verify.h"

namespace tuner::bench {

struct TunedProblem {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> axes;  // as on the command line
  std::filesystem::path configs;                          // the folder that holds the result
};

// Compiled, verified in full and loaded. Throws TunerError where there is no exact and fresh result
// (naming the command that makes it), or where it is wrong here.
class TunedKernel : public Contender {
 public:
  TunedKernel(const Gpu& gpu, Compiler& compiler, const TunedProblem& problem, CacheMode cache);

  const Kernel& kernel() const { return *kernel_; }
  ProblemBuffers& buffers() { return *buffers_; }
  TimingContext& timing() override { return *timing_; }
  std::string describe() const override { return config_; }
  void enqueue(std::size_t set) const override { job_->enqueue(set); }
  // Runs `runs`, this or another that uses these buffers, and compares what it leaves there with
  // the kernel's reference. Throws TunerError, naming `who`, where it is not the same.
  void verify(const Runs& runs, const std::string& who);

 private:
  void verify(const Gpu& gpu, const MeasureSetup& setup);

  std::unique_ptr<Kernel> kernel_;
  std::string config_;
  const Gpu& gpu_;
  std::unique_ptr<ProblemBuffers> buffers_;
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<TimingContext> timing_;
  std::unique_ptr<PreparedJob> job_;
};

}  // namespace tuner::bench
