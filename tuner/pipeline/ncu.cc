// ncu: how it is called, and what it prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "expr/error.h"
#include "tuner/os/captured_command.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/counting.h"
#include "tuner/worker/run_once.h"

namespace tuner {
namespace {

struct Metric {
  const char* name;
  std::optional<double> Counters::*value;
  double scale = 1;
};

// Names of Turing and later. Per cent become shares.
constexpr auto kMetrics = std::to_array<Metric>({
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     &Counters::load_sectors},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     &Counters::store_sectors},
    {"dram__bytes_read.sum", &Counters::dram_read},
    {"dram__bytes_write.sum", &Counters::dram_written},
    {"l1tex__t_sector_hit_rate.pct", &Counters::l1_hit, 0.01},
    {"lts__t_sector_hit_rate.pct", &Counters::l2_hit, 0.01},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", &Counters::occupancy, 0.01},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", &Counters::bank_conflicts},
});

std::vector<std::string> command(const std::filesystem::path& ncu, CacheMode cache,
                                 const std::filesystem::path& job) {
  std::string metrics;
  for (const Metric& metric : kMetrics)
    metrics += (metrics.empty() ? "" : ",") + std::string(metric.name);
  return {ncu.string(),
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--target-processes",
          "all",
          "--clock-control",
          "none",
          "--cache-control",
          cache == CacheMode::cold ? "all" : "none",
          "--metrics",
          metrics,
          self_executable().string(),
          "run-once",
          job.string()};
}

// A line of quoted fields; a quote inside of one is doubled.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) fields.back() += line[++i];
      if (!doubled) quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else if (line[i] != '\r') {
      fields.back() += line[i];
    }
  }
  return fields;
}

// "1,234.5" is 1234.5; "n/a" and the like are nothing.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Counters counters_of(const std::vector<std::string>& heading,
                     const std::vector<std::string>& fields) {
  Counters counters;
  for (const Metric& metric : kMetrics) {
    const auto at = std::ranges::find(heading, metric.name) - heading.begin();
    if (static_cast<std::size_t>(at) >= std::min(heading.size(), fields.size())) continue;
    const std::optional<double> value = number(fields[static_cast<std::size_t>(at)]);
    if (value) counters.*metric.value = *value * metric.scale;
  }
  return counters;
}

std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last = "it printed nothing";
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

[[noreturn]] void fail(const std::string& output) {
  if (output.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    throw TunerError(
        "The driver keeps the GPU's performance counters to administrators (ERR_NVGPUCTRPERM): run "
        "as root, or load the kernel module nvidia with NVreg_RestrictProfilingToAdminUsers=0.",
        ExitCode::no_device);
  }
  const std::size_t error = output.find("==ERROR==");
  const std::string reason = error == std::string::npos
                                 ? last_line(output)
                                 : output.substr(error, output.find('\n', error) - error);
  throw TunerError(fmt::format("ncu read no counters: {}", reason), ExitCode::no_device);
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

ReadCounters ncu_reader(std::filesystem::path ncu) {
  return [ncu = std::move(ncu)](const MeasureSetup& setup, const MeasureJob& job) {
    constexpr std::chrono::minutes kLimit{10};
    const JobFile file;
    write_run_once(file.path(), setup, job);
    const CapturedCommand ran = run_captured(command(ncu, setup.cache, file.path()), kLimit);
    if (ran.timed_out) {
      throw TunerError(
          fmt::format("ncu was still at work on {} after {} minutes.", job.id, kLimit.count()),
          ExitCode::no_device);
    }
    std::vector<Counters> counters = parse_ncu(ran.output);
    const auto kernels = std::ranges::count(job.steps, LaunchStep::Kind::kernel, &LaunchStep::kind);
    if (static_cast<std::ptrdiff_t>(counters.size()) != kernels) {
      throw TunerError(
          fmt::format("ncu saw {} kernels, where {} has {}.", counters.size(), job.id, kernels),
          ExitCode::no_device);
    }
    return counters;
  };
}

std::vector<Counters> parse_ncu(const std::string& output) {
  std::istringstream lines(output);
  std::vector<std::string> heading;
  std::vector<Counters> counters;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('"')) continue;
    std::vector<std::string> fields = fields_of(line);
    if (fields.front() == "ID") {
      heading = std::move(fields);
    } else if (!heading.empty() && !fields.front().empty()) {  // the line of units has no ID
      counters.push_back(counters_of(heading, fields));
    }
  }
  if (counters.empty()) fail(output);
  return counters;
}

std::size_t kernel_index(const std::vector<LaunchStep>& steps, std::size_t step) {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step),
                    [](const LaunchStep& one) { return one.kind == LaunchStep::Kind::kernel; }));
}

}  // namespace tuner
