#include "tuner/store/result_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr int kIndent = 2;

void check_file_name(const std::string& name) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    throw TunerError(fmt::format("\"{}\" cannot name a file of tuned results.", name));
  }
}

// Nothing unverified leaves the tool. The comparisons are false for NaN.
void check_winner(const TunedEntry& entry) {
  const MeasuredConfig& winner = entry.winner;
  if (!(winner.time_ns > 0) || !std::isfinite(winner.time_ns)) {
    throw TunerError(fmt::format("The winner for {} has no time, so it is not stored.",
                                 to_string(entry.problem)));
  }
  if (!(winner.error <= 1)) {
    throw TunerError(
        fmt::format("The winner for {} is {} of its tolerance off, so it is not stored.",
                    to_string(entry.problem), winner.error));
  }
}

}  // namespace

TunedResult load_tuned_result(const fs::path& file) {
  return parse_tuned_result(parse_json(read_file(file), file.string()), file.string());
}

ResultStore::ResultStore(fs::path folder) : folder_(std::move(folder)) {}

fs::path ResultStore::path_of(const std::string& kernel, const std::string& device_id) const {
  check_file_name(kernel);
  check_file_name(device_id);
  return folder_ / kernel / (device_id + ".json");
}

std::vector<fs::path> ResultStore::files_of(const std::string& kernel) const {
  check_file_name(kernel);
  std::vector<fs::path> files;
  const fs::path folder = folder_ / kernel;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    const bool hidden = path.filename().string().front() == '.';
    if (!hidden && path.extension() == ".json") files.push_back(path);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw TunerError(
        fmt::format("Cannot read the results in {}: {}.", folder.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<TunedResult> ResultStore::load(const std::string& kernel,
                                             const std::string& device_id) const {
  const fs::path file = path_of(kernel, device_id);
  std::error_code error;
  if (!fs::exists(file, error) && !error) return std::nullopt;
  TunedResult result = load_tuned_result(file);
  if (result.kernel != kernel) {
    throw TunerError(fmt::format("{} holds results of the kernel {}, not of {}.", file.string(),
                                 result.kernel, kernel));
  }
  return result;
}

void ResultStore::check_savable(const std::string& kernel, const std::string& device_id) const {
  check_writable(path_of(kernel, device_id));
  load(kernel, device_id);
}

fs::path ResultStore::save(const std::string& kernel, const std::string& device_id,
                           TunedEntry entry) const {
  check_winner(entry);
  const fs::path file = path_of(kernel, device_id);
  const FileLock lock(file);
  TunedResult result = load(kernel, device_id).value_or(TunedResult{kernel, {}, {}});
  merge_entry(result, std::move(entry));
  write_file_atomically(file, dump_json(to_json_document(result), kIndent) + "\n");
  return file;
}

}  // namespace tuner
