#include <algorithm>
#include <utility>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), fold);
  return result;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1
// each.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Letters' case is what people get wrong first, so it costs nothing except between equals.
std::pair<std::size_t, std::size_t> distance(std::string_view a, std::string_view b) {
  return {edit_distance(folded(a), folded(b)), edit_distance(a, b)};
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  std::optional<std::string> best;
  std::pair<std::size_t, std::size_t> best_distance;
  for (const std::string& candidate : known) {
    const auto [shorter, longer] = std::minmax({candidate.size(), name.size()});
    if (longer - shorter > allowed) continue;
    const auto found = distance(name, candidate);
    // Every letter changed is no resemblance: x is not a misspelt n.
    if (found.first > allowed || found.first >= longer) continue;
    if (!best || found < best_distance) {
      best = candidate;
      best_distance = found;
    }
  }
  return best;
}

}  // namespace tuner::expr
