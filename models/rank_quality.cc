#include "models/rank_quality.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace tuner::models {
namespace {

constexpr double kGood = 1.01;  // times the best
constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<std::size_t> order_by(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::vector<double> mean_ranks(std::span<const double> values) {
  const std::vector<std::size_t> order = order_by(values);
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double pairs(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

// Pairs of equal neighbours in a sequence where equals stand together.
template <typename Equal>
double tied_pairs(std::size_t n, Equal equal) {
  double tied = 0;
  std::size_t run = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && equal(i - 1, i)) {
      ++run;
    } else {
      tied += pairs(run);
      run = 1;
    }
  }
  return tied;
}

// Sorts, and counts the pairs that were the wrong way round.
double sort_and_count(std::vector<double>& values, std::vector<double>& scratch, std::size_t begin,
                      std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  double inversions =
      sort_and_count(values, scratch, begin, middle) + sort_and_count(values, scratch, middle, end);
  std::size_t left = begin, right = middle;
  for (std::size_t i = begin; i < end; ++i) {
    const bool take_left = right == end || (left < middle && values[left] <= values[right]);
    if (!take_left) inversions += static_cast<double>(middle - left);
    scratch[i] = take_left ? values[left++] : values[right++];
  }
  std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(begin),
            scratch.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return inversions;
}

double best_of(std::span<const RankedTrial> trials) {
  double best = kNever;
  for (const RankedTrial& trial : trials) {
    if (trial.measured_ns > 0) best = std::min(best, trial.measured_ns);
  }
  return best;
}

double fraction_of(double best, double found) { return std::isfinite(found) ? best / found : 0; }

}  // namespace

double spearman(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2) return 0;
  return correlation(mean_ranks(x), mean_ranks(y));
}

// Knight's way (1966): by x, and equal x by y; then the swaps that sorting by y takes are the
// discordant pairs.
double kendall(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  if (n < 2) return 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : y[a] < y[b]; });
  const double tied_x =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return x[order[a]] == x[order[b]]; });
  const double tied_both = tied_pairs(n, [&](std::size_t a, std::size_t b) {
    return x[order[a]] == x[order[b]] && y[order[a]] == y[order[b]];
  });
  std::vector<double> values(n), scratch(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = y[order[i]];
  const double discordant = sort_and_count(values, scratch, 0, n);
  const double tied_y =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return values[a] == values[b]; });
  const double concordant = pairs(n) - tied_x - tied_y + tied_both - discordant;
  const double scale = std::sqrt((pairs(n) - tied_x) * (pairs(n) - tied_y));
  return scale > 0 ? (concordant - discordant) / scale : 0;
}

RankQuality rank_quality(std::span<const RankedTrial> trials) {
  RankQuality quality;
  quality.trials = trials.size();
  std::vector<double> predicted, measured;
  std::vector<double> all_predicted;
  std::size_t kept = 0;
  double kept_best = kNever;
  for (const RankedTrial& trial : trials) {
    all_predicted.push_back(trial.predicted_ns);
    kept += trial.kept ? 1 : 0;
    if (!(trial.measured_ns > 0)) continue;
    predicted.push_back(trial.predicted_ns);
    measured.push_back(trial.measured_ns);
    if (trial.kept) kept_best = std::min(kept_best, trial.measured_ns);
  }
  quality.measured = measured.size();
  if (measured.empty()) return quality;
  quality.spearman = spearman(predicted, measured);
  quality.kendall = kendall(predicted, measured);
  const double best = best_of(trials);
  const std::vector<std::size_t> order = order_by(all_predicted);
  const auto top = [&](std::size_t k) {
    double found = kNever;
    for (std::size_t i = 0; i < std::min(k, order.size()); ++i) {
      const RankedTrial& trial = trials[order[i]];
      if (trial.measured_ns > 0 && std::isfinite(trial.predicted_ns)) {
        found = std::min(found, trial.measured_ns);
      }
    }
    return fraction_of(best, found);
  };
  const auto good = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return trials[i].measured_ns > 0 && trials[i].measured_ns <= kGood * best;
  });
  quality.share_with_best =
      static_cast<double>(good - order.begin() + 1) / static_cast<double>(order.size());
  quality.top1 = top(1);
  quality.top8 = top(8);
  quality.top16 = top(16);
  quality.kept_share = static_cast<double>(kept) / static_cast<double>(trials.size());
  quality.kept_best = fraction_of(best, kept_best);
  return quality;
}

}  // namespace tuner::models
