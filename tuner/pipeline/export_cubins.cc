#include "tuner/pipeline/export_cubins.h"

#include <fmt/format.h>

#include <future>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "expr/error.h"
#include "tuner/compile/prebuilt.h"
#include "tuner/os/files.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

// Configurations of several problems are often one to the compiler.
class Jobs {
 public:
  void add(const ExportedConfig& config, int architecture) {
    const BuildPlan& plan = config.build;
    const auto key = std::tuple(plan.source, plan.options, plan.entries, architecture);
    if (known_.insert(key).second) jobs_.push_back(compile_job(plan, config.id, architecture));
  }
  const std::vector<CompileJob>& list() const { return jobs_; }

 private:
  std::set<
      std::tuple<std::filesystem::path, std::vector<std::string>, std::vector<std::string>, int>>
      known_;
  std::vector<CompileJob> jobs_;
};

void add_jobs(const ExportedKernel& kernel, Jobs& jobs) {
  std::set<int> architectures;
  for (const ExportedConfig& config : kernel.configs) {
    architectures.insert(config.device.compute_capability);
  }
  for (const ExportedConfig& config : kernel.configs) {
    if (!config.fallback) {
      jobs.add(config, config.device.compute_capability);
      continue;
    }
    for (const int architecture : architectures) jobs.add(config, architecture);
  }
}

}  // namespace

std::size_t export_cubins(std::span<const ExportedKernel> kernels, Compiler& compiler,
                          const std::filesystem::path& folder) {
  check_writable(folder / "entry.json");
  Jobs jobs;
  for (const ExportedKernel& kernel : kernels) add_jobs(kernel, jobs);
  // All at once: the compiler has a process for each core.
  std::vector<std::promise<CompileResult>> results(jobs.list().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    compiler.submit(jobs.list()[i], [&promise = results[i]](CompileResult result) {
      promise.set_value(std::move(result));
    });
  }
  std::vector<CompileResult> compiled;
  for (auto& result : results) compiled.push_back(result.get_future().get());
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const CompileJob& job = jobs.list()[i];
    if (compiled[i].status != CompileResult::Status::ok) {
      throw TunerError(fmt::format("{} {} does not compile for sm_{}: {}", job.source.string(),
                                   job.label, job.architecture, compiled[i].reason));
    }
    save_prebuilt(folder, job, compiled[i]);
  }
  return compiled.size();
}

}  // namespace tuner
