// Keeps a search's journal, and turns what a journal tells into where the next search starts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/pipeline/scheduler.h"
#include "tuner/store/journal.h"

namespace tuner {

// Writes each trial before passing it on.
class JournalObserver : public SearchObserver {
 public:
  JournalObserver(const Kernel& kernel, JournalWriter& writer, SearchObserver& next)
      : kernel_(kernel), writer_(writer), next_(next) {}
  void started(const search::Config& config) override;
  void finished(const TrialRecord& record) override;
  void idle() override { next_.idle(); }

 private:
  const Kernel& kernel_;
  JournalWriter& writer_;
  SearchObserver& next_;
};

JournalHeader journal_header(const Kernel& kernel, const std::string& cache, std::uint64_t seed);

// <user data>/journals/<kernel>/<gpu>-<problem>.jsonl: there while a run is under way, or was ended
// before its time.
std::filesystem::path default_journal(const Kernel& kernel, const std::string& cache);

struct OpenJournal {
  std::unique_ptr<JournalWriter> writer;
  std::vector<TrialRecord> known;  // of earlier runs, those that lie in the space
  std::vector<std::string> warnings;
};
// Goes on with the journal at `path` where it is of the same run; one of another (other source,
// other seed, …) is moved aside first. `fresh`: always moved aside. Throws TunerError where it
// cannot be written.
OpenJournal open_journal(const std::filesystem::path& path, const Kernel& kernel,
                         const JournalHeader& header, bool fresh);
// After a run that came to its end: the journal becomes <name>.done.jsonl.
void close_journal(OpenJournal journal, const std::filesystem::path& path);

}  // namespace tuner
