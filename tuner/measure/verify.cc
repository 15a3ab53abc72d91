#include "tuner/measure/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tuner {
namespace {

ElementTolerance tolerance_of(const Verification& verification) {
  const bool only_frobenius =
      verification.frobenius > 0 && verification.relative == 0 && verification.absolute == 0;
  return {verification.relative, verification.absolute, !only_frobenius};
}

// A larger error, where a NaN is the largest.
double worse(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::infinity();
  return std::max(a, b);
}

}  // namespace

Verifier::Verifier(const Gpu& gpu, ProblemBuffers& buffers, const Verification& verification,
                   std::chrono::milliseconds limit)
    : gpu_(gpu),
      buffers_(buffers),
      tolerance_(tolerance_of(verification)),
      frobenius_limit_(verification.frobenius),
      references_(compute_reference(gpu, buffers, verification, limit)),
      checks_(compute_checks(buffers, verification.checks)) {}

void Verifier::before_run() const {
  buffers_.restore(0);
  buffers_.poison(0);
}

RunVerdict Verifier::after_run(const PreparedJob& job, bool full) {
  RunVerdict verdict = compare_outputs(full || first_);
  first_ = false;
  // Named before wrong values, which they explain.
  for (std::string problem :
       {buffers_.check_guards(0, 1), job.check_guards(), buffers_.check_inputs()}) {
    if (problem.empty()) continue;
    verdict.problem = std::move(problem);
    return verdict;
  }
  return verdict;
}

RunVerdict Verifier::compare_outputs(bool full) const {
  RunVerdict verdict;
  for (const ReferenceOutput& reference : references_) compare_reference(reference, full, verdict);
  for (const CheckedElements& checked : checks_) compare_checked(checked, verdict);
  return verdict;
}

void Verifier::compare_reference(const ReferenceOutput& reference, bool full,
                                 RunVerdict& verdict) const {
  const GuardedBuffer& output = buffers_.buffer(0, reference.buffer);
  const Element element = buffers_.generator(reference.buffer).element();
  const std::int64_t size = size_of(element);
  Comparison total;
  gpu_.download(output.data(), ranges_to_check(output.bytes(), full),
                [&](std::int64_t offset, std::span<const std::byte> chunk) {
                  const std::int64_t first = offset / size;
                  const std::int64_t count = static_cast<std::int64_t>(chunk.size()) / size;
                  total.add(compare_elements(element, chunk, reference.slice(first, count), first,
                                             tolerance_));
                });
  judge(reference.buffer, total, verdict);
}

void Verifier::compare_checked(const CheckedElements& checked, RunVerdict& verdict) const {
  const GuardedBuffer& output = buffers_.buffer(0, checked.buffer);
  const Element element = buffers_.generator(checked.buffer).element();
  const std::int64_t size = size_of(element);
  Comparison total;
  std::size_t expected = 0;
  const auto compare_run = [&](const CheckedElements::Run& run, const std::byte* values) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      total.add(compare_one(element, values + i * size, checked.expected[expected++], run.first + i,
                            tolerance_));
    }
  };
  std::vector<ByteRange> ranges;
  for (const CheckedElements::Run& run : checked.runs) {
    ranges.push_back({run.first * size, run.count * size});
  }
  // Many small copies are queued together and fetched at once; few large ones go in chunks.
  const std::int64_t bytes = static_cast<std::int64_t>(checked.expected.size()) * size;
  if (bytes > Gpu::kChunkBytes) {
    gpu_.download(output.data(), ranges,
                  [&](std::int64_t offset, std::span<const std::byte> chunk) {
                    compare_run({offset / size, static_cast<std::int64_t>(chunk.size()) / size},
                                chunk.data());
                  });
    return judge(checked.buffer, total, verdict);
  }
  std::vector<Gpu::Piece> pieces;
  for (const ByteRange& range : ranges) {
    pieces.push_back({output.data() + static_cast<CUdeviceptr>(range.offset), range.bytes});
  }
  std::vector<std::byte> values(static_cast<std::size_t>(bytes));
  gpu_.gather(pieces, values);
  const std::byte* next = values.data();
  for (const CheckedElements::Run& run : checked.runs) {
    compare_run(run, next);
    next += run.count * size;
  }
  judge(checked.buffer, total, verdict);
}

void Verifier::judge(std::size_t buffer, const Comparison& comparison, RunVerdict& verdict) const {
  const std::string& name = buffers_.specs()[buffer].name;
  verdict.compared = true;
  if (tolerance_.elementwise) verdict.max_error = worse(verdict.max_error, comparison.worst_ratio);
  const double frobenius = comparison.frobenius();
  verdict.frobenius_error = worse(verdict.frobenius_error, frobenius);
  if (!verdict.problem.empty()) return;
  if (comparison.failed > 0) {
    verdict.problem = describe_failure(name, comparison, tolerance_);
  } else if (frobenius_limit_ > 0 && !(frobenius <= frobenius_limit_)) {
    verdict.problem =
        fmt::format("the relative Frobenius error of '{}' is {:.3g}, allowed is {:.3g}", name,
                    frobenius, frobenius_limit_);
  }
}

}  // namespace tuner
