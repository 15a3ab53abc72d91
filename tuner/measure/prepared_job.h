// A configuration, loaded and ready to run on any set of the problem's buffers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/launch/launch_sequence.h"
#include "tuner/measure/job.h"
#include "tuner/measure/problem_buffers.h"

namespace tuner {

// What can be run on any set of buffers.
class Runs {
 public:
  virtual ~Runs() = default;
  virtual void enqueue(std::size_t set) const = 0;  // one run, on the GPU's stream
};

// For one thread. The buffers must outlive it.
class PreparedJob : public Runs {
 public:
  // Loads the cubin, allocates the workspaces, fills the symbols. Throws TrialFailure,
  // LaunchRefused or DriverError where the configuration cannot be launched, TunerError where the
  // cubin cannot be read.
  PreparedJob(const Gpu& gpu, const ProblemBuffers& buffers, MeasureJob job);

  const MeasureJob& job() const { return job_; }
  // Queues one run: what zeroes each_run workspaces, then the steps.
  void enqueue(std::size_t set) const override;
  // What the workspaces' guards say. Waits.
  std::string check_guards() const;
  // The names of the kernels, for messages.
  std::string kernels() const;

 private:
  void allocate_workspaces();
  void fill_symbols(const ProblemBuffers& buffers);
  LaunchTargets targets(const ProblemBuffers& buffers, std::size_t set) const;

  const Gpu& gpu_;
  MeasureJob job_;
  Module module_;
  std::vector<GuardedBuffer> workspaces_;
  std::optional<LaunchSequence> sequence_;
  std::vector<BoundArguments> arguments_;  // one for each set
};

// The targets that buffers of a set are.
LaunchTargets buffer_targets(const ProblemBuffers& buffers, std::size_t set);

}  // namespace tuner
