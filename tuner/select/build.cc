#include "tuner/select/build.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace tuner {

CompileJob compile_job(const BuildPlan& plan, const std::string& label, int architecture) {
  CompileJob job;
  job.label = label;
  job.source = plan.source;
  job.include_dirs = plan.include_dirs;
  job.options = plan.options;
  job.entries = plan.entries;
  job.symbols = plan.symbols;
  job.keep_ptx = plan.keep_ptx;
  job.architecture = architecture;
  return job;
}

std::vector<CompileResult> compile_all(Compiler& compiler, std::vector<CompileJob> jobs) {
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<CompileResult> results(jobs.size());
  std::size_t left = jobs.size();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    compiler.submit(std::move(jobs[i]), [&, i](CompileResult result) {
      const std::lock_guard lock(mutex);
      results[i] = std::move(result);
      --left;
      ended.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return left == 0; });
  return results;
}

std::vector<CompiledEntry> compiled_entries(const CompileResult& result) {
  std::vector<CompiledEntry> entries;
  for (const EntryFacts& facts : result.entries) {
    entries.push_back({facts.entry, facts.lowered_name, facts.registers, facts.static_shared,
                       facts.spill_store_bytes + facts.spill_load_bytes});
  }
  return entries;
}

std::vector<CompiledEntry> compiled_entries_with_ptx(const CompileResult& result) {
  std::vector<CompiledEntry> entries = compiled_entries(result);
  if (result.ptx.empty()) return entries;
  const auto ptx = std::make_shared<const std::string>(result.ptx);
  for (CompiledEntry& entry : entries) entry.ptx = ptx;
  return entries;
}

}  // namespace tuner
