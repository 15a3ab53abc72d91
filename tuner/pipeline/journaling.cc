#include "tuner/pipeline/journaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "expr/error.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/keep.h"

namespace tuner {
namespace {

// A configuration that ended the run more often than this is not tried again.
constexpr int kStartsAtMost = 2;

bool in_space(const search::Space& space, const NamedValues& values, search::Config& config) {
  try {
    config = space.from_values(values);
  } catch (const TunerError&) {
    return false;  // the space was narrowed since
  }
  return space.contains(config);
}

std::filesystem::path with_ending(std::filesystem::path path, const std::string& ending) {
  path.replace_extension(ending + ".jsonl");
  return path;
}

TrialRecord record_of(const search::Config& config, const JournalTrial& known) {
  TrialRecord record;
  record.trial = {config, known.status, known.time_ns, known.abandoned, known.reason};
  record.measured.status = std::string(search::to_string(known.status));
  record.measured.time_ns = known.time_ns;
  record.measured.low_ns = known.low_ns;
  record.measured.high_ns = known.high_ns;
  record.measured.samples = known.samples;
  record.measured.throttled = known.throttled;
  record.measured.max_error = known.error;
  record.measured.verified = known.status == search::Status::ok;  // only verified trials are ok
  record.compile_ms = known.compile_ms;
  record.registers = known.registers;
  record.spill_bytes = known.spill_bytes;
  return record;
}

void take_content(const Kernel& kernel, const JournalContent& content, OpenJournal& journal) {
  search::Config config;
  for (const JournalTrial& known : content.trials) {
    if (in_space(kernel.space(), known.config, config)) {
      journal.known.push_back(record_of(config, known));
    }
  }
  for (const UnfinishedTrial& unfinished : content.unfinished) {
    journal.warnings.push_back(
        fmt::format("{} was running when the last run ended", to_string(unfinished.config)));
    if (unfinished.starts < kStartsAtMost || !in_space(kernel.space(), unfinished.config, config)) {
      continue;
    }
    TrialRecord record;
    record.trial = {config, search::Status::crash, 0, false, "ended the run each time"};
    journal.known.push_back(std::move(record));
  }
}

}  // namespace

void JournalObserver::started(const search::Config& config) {
  writer_.started(named_values(kernel_, config));
  next_.started(config);
}

void JournalObserver::finished(const TrialRecord& record) {
  // What was pruned after compiling is found out again from the cache at once.
  if (record.trial.status != search::Status::pruned) {
    JournalTrial trial;
    trial.config = named_values(kernel_, record.trial.config);
    trial.status = record.trial.status;
    trial.reason = record.trial.reason;
    trial.time_ns = record.trial.time_ns;
    trial.low_ns = record.measured.low_ns;
    trial.high_ns = record.measured.high_ns;
    trial.samples = record.measured.samples;
    trial.abandoned = record.trial.abandoned;
    trial.throttled = record.measured.throttled;
    trial.error = record.measured.max_error;
    trial.compile_ms = record.compile_ms;
    trial.registers = record.registers;
    trial.spill_bytes = record.spill_bytes;
    writer_.finished(trial);
  }
  next_.finished(record);
}

JournalHeader journal_header(const Kernel& kernel, const std::string& cache, std::uint64_t seed) {
  JournalHeader header;
  header.kernel = kernel.description().name;
  header.problem = kernel.problem().axes;
  header.cache = cache;
  header.device = kernel.device().name;
  header.source_hash = kernel_hash(kernel.description());
  for (const search::Parameter& parameter : kernel.space().parameters()) {
    header.parameters.push_back(parameter.name);
  }
  header.seed = seed;
  header.tool = tool_version();
  header.date = utc_now();
  return header;
}

std::filesystem::path default_journal(const Kernel& kernel, const std::string& cache) {
  std::string name = kernel.device().id + "-" + to_string(kernel.problem()) + "-" + cache;
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '=' && c != '-' && c != '_'; },
      '_');
  return user_data_folder() / "journals" / kernel.description().name / (name + ".jsonl");
}

OpenJournal open_journal(const std::filesystem::path& path, const Kernel& kernel,
                         const JournalHeader& header, bool fresh) {
  OpenJournal journal;
  if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path());
  if (std::filesystem::exists(path)) {
    const auto obstacle = fresh ? std::optional<std::string>("a fresh start was asked for")
                                : resume_obstacle(read_journal(path).header, header);
    if (!obstacle) {
      JournalContent content;
      journal.writer = std::make_unique<JournalWriter>(path, header, content);
      take_content(kernel, content, journal);
      return journal;
    }
    const auto aside = with_ending(path, ".old");
    std::filesystem::rename(path, aside);
    journal.warnings.push_back(
        fmt::format("the journal of an earlier run is now {}: {}", aside.string(), *obstacle));
  }
  journal.writer = std::make_unique<JournalWriter>(path, header);
  return journal;
}

void close_journal(OpenJournal journal, const std::filesystem::path& path) {
  journal.writer.reset();
  std::error_code ignored;  // the result is kept already; a journal that stays is only read again
  std::filesystem::rename(path, with_ending(path, ".done"), ignored);
}

}  // namespace tuner
