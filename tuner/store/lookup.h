// Finding a tuned configuration for a problem on a GPU, and saying how well it fits.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/store/result.h"

namespace tuner {

// From the best: tuned for just this; for another size on this GPU (or for just this, before the
// source changed); on another GPU of the same compute capability. After `none` the caller goes on
// with the model's choice, then with the kernel's default.
enum class Rung { exact, nearest_size, same_capability, none };
std::string_view to_string(
    Rung rung);  // "exact", "nearest size", "same compute capability", "none"

struct LookupQuery {
  std::string kernel;
  NamedValues problem;         // every axis
  std::string cache = "cold";  // or "warm"; empty: either, of equals the cold one
  ResultDevice device;
  std::string source_hash;                // of the source as it is now
  std::vector<std::string> nearest_axes;  // sizes that may differ; the other axes must be equal
  double size_factor = 4;                 // by how much, each, up or down
  bool allow_stale = true;  // false: a stale entry is a warning, as if it were not there
  // Whether a configuration can run here (the space holds it, the device's limits allow it).
  // Empty: every one can.
  std::function<bool(const NamedValues&)> is_valid;
};

struct LookupAnswer {
  Rung rung = Rung::none;
  std::optional<TunedEntry> entry;  // none where the rung is
  std::filesystem::path file;       // that holds it
  double distance = 0;              // root of the sum of squares of log2 of the size ratios
  bool stale = false;               // the source has changed since
  std::vector<std::string>
      warnings;  // stale, files that could not be read, configurations passed over
};

// Takes the best rung; there, a fresh entry before a stale one, then the smallest distance, then
// the GPU nearest in its number of SMs, then the first of the folders. A file that cannot be read
// is a warning: the others still serve.
LookupAnswer lookup(std::span<const std::filesystem::path> folders, const LookupQuery& query);

// Distance of an entry's problem from the query's; nullopt where an axis that must be equal is
// not, an axis is missing, or a size is beyond the factor.
std::optional<double> problem_distance(const LookupQuery& query, const NamedValues& problem);

}  // namespace tuner
