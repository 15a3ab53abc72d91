#include "tuner/report/comparison.h"

#include <algorithm>
#include <cmath>

namespace tuner {
namespace {

constexpr double kSameWithin = 0.01;

// Times that came without an interval, or with one that the median is not in, stand for themselves.
MeasuredTime with_interval(MeasuredTime time) {
  if (!(time.low_ns > 0 && time.low_ns <= time.time_ns)) time.low_ns = time.time_ns;
  if (!(time.high_ns >= time.time_ns)) time.high_ns = time.time_ns;
  return time;
}

Change change_of(const ComparedTime& one) {
  if (one.high <= 1 + kSameWithin && one.low >= 1 - kSameWithin) return Change::same;
  if (one.high < 1) return Change::faster;
  if (one.low > 1) return Change::slower;
  return Change::unsure;
}

ComparedTime compared(const std::string& what, const MeasuredTime& a, const MeasuredTime& b) {
  ComparedTime one{what, with_interval(a), with_interval(b)};
  one.ratio = one.second.time_ns / one.first.time_ns;
  one.low = one.second.low_ns / one.first.high_ns;
  one.high = one.second.high_ns / one.first.low_ns;
  one.change = change_of(one);
  return one;
}

}  // namespace

std::string to_string(Change change) {
  switch (change) {
    case Change::same:
      return "SAME";
    case Change::faster:
      return "FASTER";
    case Change::slower:
      return "SLOWER";
    case Change::unsure:
      break;
  }
  return "UNSURE";
}

int TimeComparison::count(Change change) const {
  return static_cast<int>(std::count_if(
      both.begin(), both.end(), [&](const ComparedTime& one) { return one.change == change; }));
}

TimeComparison compare_times(const MeasuredTimes& first, const MeasuredTimes& second) {
  TimeComparison comparison;
  double logs = 0;
  for (const auto& [what, time] : first) {
    const auto other = second.find(what);
    if (other == second.end()) {
      comparison.only_first.push_back(what);
      continue;
    }
    comparison.both.push_back(compared(what, time, other->second));
    logs += std::log(comparison.both.back().ratio);
  }
  for (const auto& [what, time] : second) {
    if (!first.contains(what)) comparison.only_second.push_back(what);
  }
  if (!comparison.both.empty()) {
    comparison.geometric_mean = std::exp(logs / static_cast<double>(comparison.both.size()));
  }
  return comparison;
}

}  // namespace tuner
