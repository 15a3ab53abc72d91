// Deciding whether a run did what it should.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tuner/measure/prepared_job.h"
#include "tuner/measure/reference.h"

namespace tuner {

struct RunVerdict {
  std::string problem;   // empty: right
  double max_error = 0;  // as in MeasureResult; 0 where only the Frobenius error is asked for
  double frobenius_error = 0;
  bool compared = false;  // against something, that is
};

// Holds the reference. For one thread.
//
// Elements are judged one by one unless only a Frobenius error is asked for (`relative` and
// `absolute` both 0). Unless `full`, of an output above kSampledBytes only ranges_to_check() are
// compared; the first check of a process is always full.
class Verifier {
 public:
  // Computes the reference. Throws TunerError.
  Verifier(const Gpu& gpu, ProblemBuffers& buffers, const Verification& verification,
           std::chrono::milliseconds limit);

  // Restores and poisons set 0; queued. The run comes next.
  void before_run() const;
  // Looks at guards, outputs and inputs of a run on set 0 that is done.
  RunVerdict after_run(const PreparedJob& job, bool full);

 private:
  RunVerdict compare_outputs(bool full) const;
  void compare_reference(const ReferenceOutput& reference, bool full, RunVerdict& verdict) const;
  void compare_checked(const CheckedElements& checked, RunVerdict& verdict) const;
  void judge(std::size_t buffer, const Comparison& comparison, RunVerdict& verdict) const;

  const Gpu& gpu_;
  ProblemBuffers& buffers_;
  ElementTolerance tolerance_;
  double frobenius_limit_;
  std::vector<ReferenceOutput> references_;
  std::vector<CheckedElements> checks_;
  bool first_ = true;
};

}  // namespace tuner
