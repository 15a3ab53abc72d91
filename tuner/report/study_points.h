// What the parts of a study's report ask of its points.
#pragma once

#include <algorithm>
#include <cmath>

#include "tuner/report/study_report.h"

namespace tuner {

// Of the peak: what counts as reaching it.
inline constexpr double kEnough = 0.95;

inline double time_of(const StudyPoint& point, bool measured) {
  return measured ? point.time_ns : point.predicted_ns;
}

inline bool has_time(const StudyPoint& point, bool measured) {
  const double time = time_of(point, measured);
  return time > 0 && std::isfinite(time);
}

inline bool any_measured(const Study& study) {
  return std::ranges::any_of(study.points, &StudyPoint::measured);
}

// From low to high, of `count` curves.
inline int color_of(std::size_t place, std::size_t count) {
  constexpr int kLast = kColors - 1 - kFirstOrderedColor;
  return count < 2 ? kFirstOrderedColor + 2
                   : kFirstOrderedColor + static_cast<int>(place * kLast / (count - 1));
}

}  // namespace tuner
