#include "tuner/pipeline/keep.h"

#include "tuner/compile/compiler.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

MeasuredConfig measured_config(const Kernel& kernel, const Finalist& finalist) {
  MeasuredConfig measured;
  measured.config = named_values(kernel, finalist.config);
  measured.time_ns = finalist.result.time_ns;
  measured.low_ns = finalist.result.low_ns;
  measured.high_ns = finalist.result.high_ns;
  if (measured.time_ns > 0) {
    measured.gflops = kernel.useful_flops() / measured.time_ns;
    measured.gbps = kernel.useful_bytes() / measured.time_ns;
  }
  measured.error = finalist.result.max_error;
  return measured;
}

std::vector<CompiledKernel> compiled_kernels(const Finalist& finalist) {
  std::vector<CompiledKernel> kernels;
  for (const CompiledEntry& entry : finalist.compiled) {
    kernels.push_back({entry.entry, entry.registers, entry.static_shared, entry.spill_bytes});
  }
  return kernels;
}

void fill_default(const Kernel& kernel, const TuneOutcome& outcome, TunedEntry& entry) {
  if (!outcome.default_finalist) {
    entry.default_failure = "not measured";
    return;
  }
  const Finalist& plain = outcome.finalists[*outcome.default_finalist];
  entry.default_config = measured_config(kernel, plain);
  entry.default_config.compiled = compiled_kernels(plain);
  if (plain.result.status == "ok") return;
  entry.default_failure = plain.result.status + ": " + plain.result.reason;
  entry.default_config.time_ns = 0;
}

}  // namespace

std::optional<TunedEntry> tuned_entry(const Kernel& kernel, const TuneOptions& options,
                                      const TuneOutcome& outcome, const std::string& driver) {
  if (!outcome.verdict.winner) return std::nullopt;
  const Finalist& winner = outcome.finalists[*outcome.verdict.winner];
  TunedEntry entry;
  entry.problem = kernel.problem().axes;
  entry.cache = options.cache == CacheMode::cold ? "cold" : "warm";
  entry.device = result_device(kernel.device(), driver);
  entry.winner = measured_config(kernel, winner);
  entry.winner.compiled = compiled_kernels(winner);
  fill_default(kernel, outcome, entry);
  for (const std::size_t tie : outcome.verdict.ties) {
    entry.ties.push_back(measured_config(kernel, outcome.finalists[tie]));
  }
  entry.source_hash = kernel_hash(kernel.description());
  entry.nvrtc = entry.cuda = nvrtc_info().version;
  entry.tool = tool_version();
  entry.date = utc_now();
  entry.trials = static_cast<std::int64_t>(outcome.search.measured);
  entry.throttled = winner.result.throttled;
  return entry;
}

}  // namespace tuner
