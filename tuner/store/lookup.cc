#include "tuner/store/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "expr/error.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kRounding = 1e-9;  // so that a size of just the factor is within it

struct Candidate {
  TunedEntry entry;
  fs::path file;
  Rung rung = Rung::none;
  bool stale = false;
  double distance = 0;
  double device_distance = 0;
};

auto rank(const Candidate& candidate) {
  return std::make_tuple(candidate.rung, candidate.stale, candidate.distance,
                         candidate.device_distance, candidate.entry.cache);  // cold before warm
}

double log2_ratio(double a, double b) { return std::abs(std::log2(a / b)); }

// |log2| of the ratio of two sizes; nullopt where either is no positive integer. Two numbers are as
// far apart as sizes of which one is twice the other: they have no scale of their own.
std::optional<double> size_distance(const Value& a, const Value& b) {
  if (type_of(a) == Type::real && type_of(b) == Type::real) return 1.0;
  const auto* x = std::get_if<std::int64_t>(&a);
  const auto* y = std::get_if<std::int64_t>(&b);
  if (x == nullptr || y == nullptr || *x <= 0 || *y <= 0) return std::nullopt;
  return log2_ratio(static_cast<double>(*x), static_cast<double>(*y));
}

Rung rung_of(const LookupQuery& query, const TunedEntry& entry, double distance, bool stale) {
  if (same_gpu(query.device, entry.device)) {
    return distance == 0 && !stale ? Rung::exact : Rung::nearest_size;
  }
  return query.device.compute_capability == entry.device.compute_capability ? Rung::same_capability
                                                                            : Rung::none;
}

std::optional<Candidate> candidate_of(const LookupQuery& query, const TunedEntry& entry,
                                      const fs::path& file) {
  if (!query.cache.empty() && entry.cache != query.cache) return std::nullopt;
  const std::optional<double> distance = problem_distance(query, entry.problem);
  if (!distance) return std::nullopt;
  Candidate candidate{entry, file};
  candidate.distance = *distance;
  candidate.stale = entry.source_hash != query.source_hash;
  candidate.rung = rung_of(query, entry, *distance, candidate.stale);
  if (candidate.rung == Rung::none) return std::nullopt;
  candidate.device_distance =
      log2_ratio(std::max(1, query.device.sm_count), std::max(1, entry.device.sm_count));
  return candidate;
}

std::string stale_warning(const Candidate& candidate) {
  return fmt::format(
      "The result for {} in {} is stale: the kernel's source or options have changed since. Tune "
      "it again.",
      to_string(candidate.entry.problem), candidate.file.string());
}

void collect(const LookupQuery& query, const fs::path& file, std::vector<Candidate>& candidates) {
  const TunedResult result = load_tuned_result(file);
  if (result.kernel != query.kernel) return;
  for (const TunedEntry& entry : result.entries) {
    if (auto candidate = candidate_of(query, entry, file)) {
      candidates.push_back(std::move(*candidate));
    }
  }
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& kernel,
                               std::vector<std::string>& warnings) {
  try {
    return ResultStore(folder).files_of(kernel);
  } catch (const TunerError& error) {
    warnings.emplace_back(error.what());
    return {};
  }
}

std::vector<Candidate> candidates_in(std::span<const fs::path> folders, const LookupQuery& query,
                                     std::vector<std::string>& warnings) {
  std::vector<Candidate> candidates;
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_in(folder, query.kernel, warnings)) {
      try {
        collect(query, file, candidates);
      } catch (const TunerError& error) {
        warnings.emplace_back(error.what());
      }
    }
  }
  // Stable: among equals the first folder's comes first.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  return candidates;
}

void take(LookupAnswer& answer, Candidate candidate) {
  if (candidate.stale) answer.warnings.push_back(stale_warning(candidate));
  answer.rung = candidate.rung;
  answer.stale = candidate.stale;
  answer.distance = candidate.distance;
  answer.file = std::move(candidate.file);
  answer.entry = std::move(candidate.entry);
}

}  // namespace

std::string_view to_string(Rung rung) {
  switch (rung) {
    case Rung::exact:
      return "exact";
    case Rung::nearest_size:
      return "nearest size";
    case Rung::same_capability:
      return "same compute capability";
    case Rung::none:
      break;
  }
  return "none";
}

std::optional<double> problem_distance(const LookupQuery& query, const NamedValues& problem) {
  if (problem.size() != query.problem.size()) return std::nullopt;
  const double most = std::log2(query.size_factor) + kRounding;
  double squares = 0;
  for (const auto& [name, wanted] : query.problem) {
    const Value* found = find_value(problem, name);
    if (found == nullptr) return std::nullopt;
    if (*found == wanted) continue;
    const auto& nearest = query.nearest_axes;
    if (std::find(nearest.begin(), nearest.end(), name) == nearest.end()) return std::nullopt;
    const std::optional<double> distance = size_distance(*found, wanted);
    if (!distance || !(*distance <= most)) return std::nullopt;
    squares += *distance * *distance;
  }
  return std::sqrt(squares);
}

LookupAnswer lookup(std::span<const fs::path> folders, const LookupQuery& query) {
  LookupAnswer answer;
  for (Candidate& candidate : candidates_in(folders, query, answer.warnings)) {
    if (candidate.stale && !query.allow_stale) {
      answer.warnings.push_back(stale_warning(candidate));
      continue;
    }
    const NamedValues& config = candidate.entry.winner.config;
    if (!query.is_valid || query.is_valid(config)) {
      take(answer, std::move(candidate));
      break;
    }
    answer.warnings.push_back(fmt::format("The configuration {} in {} cannot run here.",
                                          to_string(config), candidate.file.string()));
  }
  return answer;
}

}  // namespace tuner
