// Tuned results on disk: <folder>/<kernel>/<gpu>.json. Safe to use from several threads and
// processes at once: each save reads, merges and replaces the file under its lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/store/result.h"

namespace tuner {

class ResultStore {
 public:
  explicit ResultStore(std::filesystem::path folder);

  // `device_id`: the GPU's file name, "h200". Throws TunerError for names that are no file names.
  std::filesystem::path path_of(const std::string& kernel, const std::string& device_id) const;
  // The files of the kernel, sorted; none where there is no such folder. Throws TunerError naming a
  // folder that cannot be read, or that is none.
  std::vector<std::filesystem::path> files_of(const std::string& kernel) const;

  // nullopt where there is no such file. Throws TunerError naming a file that cannot be read, is
  // damaged, or is of a newer version.
  std::optional<TunedResult> load(const std::string& kernel, const std::string& device_id) const;

  // Throws now where save() would fail: an unwritable folder, a file that is damaged or newer.
  void check_savable(const std::string& kernel, const std::string& device_id) const;
  // Adds the entry, or replaces that of the same problem, cache mode and GPU; what else is in the
  // file stays. Returns the file. Throws TunerError, and leaves the file as it was, where
  // check_savable() does; and for a winner without a time or beyond its tolerance.
  std::filesystem::path save(const std::string& kernel, const std::string& device_id,
                             TunedEntry entry) const;

 private:
  std::filesystem::path folder_;
};

TunedResult load_tuned_result(const std::filesystem::path& file);

}  // namespace tuner
