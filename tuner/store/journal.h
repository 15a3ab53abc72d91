// The record of a tuning run as it goes: JSON lines of schema "tuner.journal" (docs/files.md). A
// killed run resumes from it, and it names the configuration that was running at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/trial.h"
#include "tuner/store/named_values.h"

namespace tuner {

// What a run is about. A run is resumed only where all of it but tool and date agrees.
struct JournalHeader {
  std::string kernel;
  NamedValues problem;
  std::string cache;
  std::string device;  // its name, as the driver says
  std::string source_hash;
  std::vector<std::string> parameters;  // of the space, in order
  std::uint64_t seed = 0;
  std::string tool, date;
};

struct JournalTrial {
  NamedValues config;
  search::Status status = search::Status::ok;
  std::string reason;
  double time_ns = 0, low_ns = 0, high_ns = 0;  // where the status is ok
  int samples = 0;
  bool abandoned = false;
  bool throttled = false;
  double error = 0;  // over the tolerance
  double compile_ms = 0;
  int registers = 0;
  std::int64_t spill_bytes = 0;
};

// Configurations that were started, and never finished.
struct UnfinishedTrial {
  NamedValues config;
  int starts = 0;  // since it last finished: more than 1 where resumed runs tried it again
};

struct JournalContent {
  JournalHeader header;
  std::vector<JournalTrial> trials;  // as they were written; the last one of a configuration counts
  std::vector<UnfinishedTrial> unfinished;
  bool truncated = false;  // the last line was cut short, and left out
};

// Throws TunerError naming the file, the line and what is wrong with it. Records of unknown kinds
// and unknown keys are ignored.
JournalContent read_journal(const std::filesystem::path& path);

// The last record of each configuration, in the order in which each came first: pointers into
// `journal`.
std::vector<const JournalTrial*> last_trials(const JournalContent& journal);

// Why a run of `wanted` cannot go on from a journal of `found`; nullopt where it can.
std::optional<std::string> resume_obstacle(const JournalHeader& found, const JournalHeader& wanted);

// Each record is with the system when its call returns: a process that is killed loses none. Safe
// to use from several threads; one process at a time.
class [[nodiscard]] JournalWriter {
 public:
  // A new journal. Throws TunerError where the file is there already, or cannot be written.
  JournalWriter(std::filesystem::path path, const JournalHeader& header);
  // Goes on with the journal there, whose content comes back in `content`; a last line that was
  // cut short is removed. Throws TunerError where the header does not match, the file is damaged,
  // or another process writes it.
  JournalWriter(std::filesystem::path path, const JournalHeader& header, JournalContent& content);

  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // Before the configuration is launched.
  void started(const NamedValues& config);
  void finished(const JournalTrial& trial);

 private:
  JournalWriter(std::filesystem::path path, int flags);  // opened and locked
  void append(const nlohmann::ordered_json& record);
  void cut_last_line();

  std::mutex mutex_;
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace tuner
