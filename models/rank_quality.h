// How well predicted times order measured ones. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace tuner::models {

struct RankedTrial {
  double predicted_ns = 0;  // infinite: the model gave none
  double measured_ns = 0;   // 0: it failed, and no time of it is known
  bool kept = true;         // by the prune
};

// Fractions of the true best: 1 is perfect.
struct RankQuality {
  std::size_t trials = 0, measured = 0;
  double spearman = 0, kendall = 0;  // over what was measured; ties count half. 0 below two trials
  double top1 = 0, top8 = 0,
         top16 = 0;  // true best / best of the model's first k; failures bring nothing
  // Of the predicted order, the share from its front that holds something within 1 % of the best.
  double share_with_best = 1;
  double kept_share = 0;  // of all trials
  double kept_best = 0;   // true best / best of those kept
};

RankQuality rank_quality(std::span<const RankedTrial> trials);

// Pearson's correlation of the ranks, with mean ranks for ties (Spearman 1904).
double spearman(std::span<const double> x, std::span<const double> y);
// (concordant - discordant) / sqrt of the pairs that are no tie in x times those in y (Kendall's
// tau-b, 1945). O(n log n).
double kendall(std::span<const double> x, std::span<const double> y);

}  // namespace tuner::models
