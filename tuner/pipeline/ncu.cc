// ncu: how it is called.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "expr/error.h"
#include "tuner/os/captured_command.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/counting.h"
#include "tuner/pipeline/ncu_pages.h"
#include "tuner/worker/run_once.h"

namespace tuner {
namespace {

constexpr std::chrono::minutes kLimit{10};

// How a job is run: with `how` between ncu's name and the job.
std::vector<std::string> profile(const std::filesystem::path& ncu, CacheMode cache,
                                 const std::vector<std::string>& how,
                                 const std::filesystem::path& job) {
  std::vector<std::string> command = {ncu.string()};
  command.insert(command.end(), how.begin(), how.end());
  command.insert(command.end(),
                 {"--target-processes", "all", "--clock-control", "none", "--cache-control",
                  cache == CacheMode::cold ? "all" : "none", "--metrics", ncu_metrics(),
                  self_executable().string(), "run-once", job.string()});
  return command;
}

// As CSV, in units without prefixes.
std::vector<std::string> page(const char* name) {
  return {"--csv", "--page", name, "--print-units", "base"};
}

std::string run(const std::vector<std::string>& command, const std::string& id) {
  const CapturedCommand ran = run_captured(command, kLimit);
  if (!ran.timed_out) return ran.output;
  throw TunerError(fmt::format("ncu was still at work on {} after {} minutes.", id, kLimit.count()),
                   ExitCode::no_device);
}

// A file for the length of a profile.
class [[nodiscard]] JobFile {
 public:
  JobFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tuner-run-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw TunerError(fmt::format("No folder can be made beside {}.", pattern));
    }
    folder_ = pattern;
  }
  ~JobFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  JobFile(const JobFile&) = delete;
  JobFile& operator=(const JobFile&) = delete;
  std::filesystem::path path() const { return folder_ / "job"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

std::filesystem::path find_ncu() {
  if (auto ncu = find_on_path("ncu")) return *ncu;
  throw TunerError(
      "--counters needs ncu, the command line of Nsight Compute, on the PATH: it comes with the "
      "CUDA Toolkit (/usr/local/cuda/bin), or as the package cuda-nsight-compute.",
      ExitCode::no_device);
}

ReadCounters ncu_reader(std::filesystem::path ncu, bool by_access) {
  return [ncu = std::move(ncu), by_access](const MeasureSetup& setup, const MeasureJob& job) {
    const JobFile file;
    write_run_once(file.path(), setup, job);
    const auto kernels = std::ranges::count(job.steps, LaunchStep::Kind::kernel, &LaunchStep::kind);
    const auto expect_all = [&](std::size_t seen) {
      if (static_cast<std::ptrdiff_t>(seen) == kernels) return;
      throw TunerError(fmt::format("ncu saw {} kernels, where {} has {}.", seen, job.id, kernels),
                       ExitCode::no_device);
    };
    if (!by_access) {
      std::vector<Counters> counters =
          parse_ncu(run(profile(ncu, setup.cache, page("raw"), file.path()), job.id));
      expect_all(counters.size());
      return counters;
    }
    // A report holds what one run counts for both pages.
    const std::string report = file.path().string() + ".ncu-rep";
    const std::string said =
        run(profile(ncu, setup.cache,
                    {"--section", "SourceCounters", "--force-overwrite", "--export", report},
                    file.path()),
            job.id);
    const auto show = [&](const char* name) {
      std::vector<std::string> command = {ncu.string(), "--import", report};
      const std::vector<std::string> how = page(name);
      command.insert(command.end(), how.begin(), how.end());
      return run(command, job.id);
    };
    if (!std::filesystem::exists(report)) parse_ncu(said);  // which tells why
    std::vector<Counters> counters = parse_ncu(show("raw"));
    expect_all(counters.size());
    const std::vector<std::vector<AccessCounts>> accesses = parse_ncu_source(show("source"));
    expect_all(accesses.size());
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i].accesses = accesses[i];
    return counters;
  };
}

std::size_t kernel_index(const std::vector<LaunchStep>& steps, std::size_t step) {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step),
                    [](const LaunchStep& one) { return one.kind == LaunchStep::Kind::kernel; }));
}

}  // namespace tuner
