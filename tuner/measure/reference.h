// What outputs should be: computed once for a problem, kept on the host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/measure/job.h"
#include "tuner/measure/problem_buffers.h"

namespace tuner {

struct ReferenceOutput {
  std::size_t buffer = 0;  // index of the output that it belongs to
  std::int64_t count = 0;
  std::unique_ptr<std::byte[]> values;  // 8 bytes an element: doubles, or 64-bit integers

  // Of elements first .. first+n-1.
  std::span<const std::byte> slice(std::int64_t first, std::int64_t n) const {
    return {values.get() + first * 8, static_cast<std::size_t>(n * 8)};
  }
};

// Runs the reference launches on set 0, which holds the initial values. Nothing of it stays on the
// device. Throws TunerError: a reference that cannot be launched, crashes, or takes longer than
// `limit`.
std::vector<ReferenceOutput> compute_reference(const Gpu& gpu, const ProblemBuffers& buffers,
                                               const Verification& verification,
                                               std::chrono::milliseconds limit);

// The chosen elements of an ElementCheck and what they should be.
struct CheckedElements {
  struct Run {  // of neighbouring elements, which are fetched together
    std::int64_t first = 0, count = 0;
  };
  std::size_t buffer = 0;
  std::vector<Run> runs;
  std::vector<double> expected;  // of all runs' elements, in order
};

// Runs of sixteen: the first, the last, and seeded random ones between; all elements where there
// are no more than `samples`. Sorted, without overlap.
std::vector<CheckedElements::Run> choose_runs(std::int64_t count, std::int64_t samples);

// Where the loads of an ElementCheck come from. What is loaded from a buffer of integers is an
// integer in the expressions, so that it may serve as an index.
struct CheckInputs {
  std::function<bool(const std::string& buffer)> holds_integers;
  std::function<double(const std::string& buffer, std::int64_t index)> initial_value;
};
// Evaluates the check's expressions. Throws TunerError for one that does not compile or evaluate.
std::vector<double> expected_values(const ElementCheck& check,
                                    const std::vector<CheckedElements::Run>& runs,
                                    const CheckInputs& inputs);

std::vector<CheckedElements> compute_checks(ProblemBuffers& buffers,
                                            const std::vector<ElementCheck>& checks);

}  // namespace tuner
