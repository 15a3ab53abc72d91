#include "tuner/select/build.h"

namespace tuner {

CompileJob compile_job(const BuildPlan& plan, const std::string& label, int architecture) {
  CompileJob job;
  job.label = label;
  job.source = plan.source;
  job.include_dirs = plan.include_dirs;
  job.options = plan.options;
  job.entries = plan.entries;
  job.symbols = plan.symbols;
  job.architecture = architecture;
  return job;
}

std::vector<CompiledEntry> compiled_entries(const CompileResult& result) {
  std::vector<CompiledEntry> entries;
  for (const EntryFacts& facts : result.entries) {
    entries.push_back({facts.entry, facts.lowered_name, facts.registers, facts.static_shared,
                       facts.spill_store_bytes + facts.spill_load_bytes});
  }
  return entries;
}

}  // namespace tuner
