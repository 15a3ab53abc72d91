#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "tuner/compile/cubin_cache.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr std::size_t kKeyDigits = 32;
constexpr std::string_view kHexDigits = "0123456789abcdef";

struct Entry {
  std::string key;
  std::vector<fs::path> files;
  std::uint64_t bytes = 0;
  FileTime last_use = FileTime::min();
};

// The key of a file that is the cache's; what a killed writer left counts as an entry of its own
// name. Empty for any other file.
std::string key_of(const std::string& name) {
  if (name.starts_with(".tuner-") && name.ends_with(".tmp")) return name;
  const std::string key = name.substr(0, kKeyDigits);
  const bool ours = key.size() == kKeyDigits &&
                    key.find_first_not_of(kHexDigits) == std::string::npos &&
                    (name.ends_with(".json") || name.ends_with(".cubin"));
  return ours ? key : std::string();
}

// Files may vanish meanwhile, by another process's eviction.
std::map<std::string, Entry> list_entries(const fs::path& folder) {
  std::map<std::string, Entry> entries;
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    const std::string key = key_of(item->path().filename().string());
    std::error_code gone;
    const std::uintmax_t bytes = item->file_size(gone);
    const FileTime time = gone ? FileTime::min() : item->last_write_time(gone);
    if (key.empty() || gone) continue;
    Entry& entry = entries[key];
    entry.key = key;
    entry.files.push_back(item->path());
    entry.bytes += bytes;
    entry.last_use = std::max(entry.last_use, time);
  }
  return entries;
}

// The JSON goes first, so that no reader is led to a cubin that is gone.
void remove_entry(Entry& entry) {
  std::sort(entry.files.begin(), entry.files.end(), [](const fs::path& a, const fs::path& b) {
    return (a.extension() == ".json") > (b.extension() == ".json");
  });
  std::error_code error;
  for (const fs::path& file : entry.files) fs::remove(file, error);
}

}  // namespace

std::uint64_t evict(const fs::path& folder, std::uint64_t max_bytes, std::chrono::seconds min_age,
                    const std::set<std::string>& kept_keys) {
  std::vector<Entry> entries;
  std::uint64_t bytes = 0;
  for (auto& [key, entry] : list_entries(folder)) {
    bytes += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (bytes <= max_bytes) return bytes;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  const FileTime newest = FileTime::clock::now() - min_age;
  // Some room to spare, so that not every store has to look through the folder again.
  const std::uint64_t goal = max_bytes - max_bytes / 8;
  for (Entry& entry : entries) {
    if (bytes <= goal || entry.last_use > newest) break;
    if (kept_keys.contains(entry.key)) continue;
    remove_entry(entry);
    bytes -= entry.bytes;
  }
  return bytes;
}

}  // namespace tuner
