// What ncu prints: its raw page and its page of instructions, as CSV.
#include "tuner/pipeline/ncu_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>

#include "expr/error.h"
#include "tuner/pipeline/counting.h"

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
    {"smsp__inst_executed.sum", &Counters::instructions},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", &Counters::bank_conflicts},
});

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

// The parts of "Global,Shared": an asynchronous copy accesses both.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

class Instructions {
 public:
  explicit Instructions(std::vector<std::string> heading) : heading_(std::move(heading)) {}

  void add(const std::vector<std::string>& fields) {
    const double executed = number_in(fields, "Instructions Executed");
    const int bytes = static_cast<int>(number_in(fields, "Access Size") / 8);
    const std::vector<std::string> memories = parts_of(text_in(fields, "Address Space"));
    const std::vector<std::string> directions = parts_of(text_in(fields, "Access Operation"));
    for (std::size_t i = 0; i < std::min(memories.size(), directions.size()); ++i) {
      const bool shared = memories[i] == "Shared";
      if ((!shared && memories[i] != "Global") || !(executed > 0)) continue;
      const AccessKind kind{shared, directions[i] != "Load", bytes};
      AccessCounts& counts = kinds_.try_emplace(kind, AccessCounts{kind}).first->second;
      counts.requests += executed;
      (shared ? counts.wavefronts : counts.sectors) +=
          number_in(fields, shared ? "L1 Wavefronts Shared" : "L2 Theoretical Sectors Global");
    }
  }
  std::vector<AccessCounts> counts() const {
    std::vector<AccessCounts> all;
    all.reserve(kinds_.size());
    for (const auto& [kind, counts] : kinds_) all.push_back(counts);
    return all;
  }

 private:
  std::string text_in(const std::vector<std::string>& fields, const char* name) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(heading_, name) - heading_.begin());
    return at < std::min(heading_.size(), fields.size()) ? fields[at] : std::string();
  }
  double number_in(const std::vector<std::string>& fields, const char* name) const {
    return number(text_in(fields, name)).value_or(0);
  }

  std::vector<std::string> heading_;
  std::map<AccessKind, AccessCounts> kinds_;
};

}  // namespace

std::string ncu_metrics() {
  std::string names;
  for (const Metric& metric : kMetrics)
    names += (names.empty() ? "" : ",") + std::string(metric.name);
  return names;
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

std::vector<std::vector<AccessCounts>> parse_ncu_source(const std::string& output) {
  std::istringstream lines(output);
  std::vector<Instructions> kernels;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('"')) continue;
    std::vector<std::string> fields = fields_of(line);
    if (fields.front() == "Kernel Name") {
      in_table = false;
    } else if (std::ranges::find(fields, "Address Space") != fields.end()) {
      kernels.emplace_back(std::move(fields));
      in_table = true;
    } else if (in_table) {
      kernels.back().add(fields);
    }
  }
  std::vector<std::vector<AccessCounts>> counts;
  counts.reserve(kernels.size());
  for (const Instructions& kernel : kernels) counts.push_back(kernel.counts());
  return counts;
}

}  // namespace tuner
