// A measuring process's work: everything between a message and its answer.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tuner/measure/job.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/verify.h"

namespace tuner {

// The life of one problem on one GPU: buffers, reference, timing. For one thread.
class Session {
 public:
  // Throws TunerError where the problem cannot be set up: no such GPU, not enough memory, values
  // that cannot be made, a reference that fails. The process must then end without destroying
  // anything.
  explicit Session(MeasureSetup setup);

  // Verifies, then times. Does not throw for what a configuration does.
  MeasureResult measure(const MeasureJob& job);
  // All jobs verified in full, then sampled in turns, each round in another order. `at(i)` is
  // called before anything of job i runs. Stops where broken(): then the result of the job that
  // broke it says how.
  std::vector<MeasureResult> compare(const CompareJob& job, const std::function<void(int)>& at);
  // Nothing can be measured in this process any more; it must end without waiting for the GPU.
  bool broken() const { return broken_; }

 private:
  struct Entry;  // one configuration that is being measured

  void set_up();
  void leak();
  void verify(Entry& entry);
  void check_again(Entry& entry);
  void sample(Entry& entry);
  void sample_round(Entry& entry);
  void conclude(Entry& entry);
  void attempt(Entry& entry, const std::function<void()>& work);
  void fail(MeasureResult& result, const std::string& status, const std::string& reason,
            bool fatal);

  MeasureSetup setup_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<ProblemBuffers> buffers_;
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<TimingContext> timing_;
  bool broken_ = false;
};

}  // namespace tuner
