#include "tuner/store/result.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <tuple>
#include <utility>

namespace tuner {
namespace {

// Numbers by size, so that files read from small to large problems.
int compare(const Value& a, const Value& b) {
  if (a.index() != b.index()) return a.index() < b.index() ? -1 : 1;
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare(const NamedValues& a, const NamedValues& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].first != b[i].first) return a[i].first < b[i].first ? -1 : 1;
    if (const int order = compare(a[i].second, b[i].second); order != 0) return order;
  }
  return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
}

bool comes_before(const TunedEntry& a, const TunedEntry& b) {
  if (const int order = compare(a.problem, b.problem); order != 0) return order < 0;
  const auto rest = [](const TunedEntry& entry) {
    const ResultDevice& device = entry.device;
    return std::tie(entry.cache, device.name, device.memory_bytes, device.sm_count);
  };
  return rest(a) < rest(b);
}

}  // namespace

bool same_gpu(const ResultDevice& a, const ResultDevice& b) {
  // The driver's own count of usable bytes moves by a little from release to release.
  const double larger = static_cast<double>(std::max(a.memory_bytes, b.memory_bytes));
  const double smaller = static_cast<double>(std::min(a.memory_bytes, b.memory_bytes));
  return a.name == b.name && a.compute_capability == b.compute_capability &&
         a.sm_count == b.sm_count && smaller >= 0.9 * larger;
}

bool same_key(const TunedEntry& a, const TunedEntry& b) {
  return a.cache == b.cache && same_gpu(a.device, b.device) && same_values(a.problem, b.problem);
}

void merge_entry(TunedResult& result, TunedEntry entry) {
  auto& entries = result.entries;
  std::erase_if(entries, [&](const TunedEntry& old) { return same_key(old, entry); });
  entries.push_back(std::move(entry));
  std::stable_sort(entries.begin(), entries.end(), comes_before);
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::string text(sizeof("2025-03-01T12:00:00Z"), '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
  return text;
}

}  // namespace tuner
