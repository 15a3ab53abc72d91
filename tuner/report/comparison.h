// Two sets of measured times, case by case: what differs by more than its noise. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tuner {

// A median and its 95 % interval.
struct MeasuredTime {
  double time_ns = 0, low_ns = 0, high_ns = 0;
};
// By what was measured: a problem, or a configuration.
using MeasuredTimes = std::map<std::string, MeasuredTime>;

// Of the second against the first. same: the two intervals together are no wider than 1 %.
// faster, slower: the intervals have nothing in common. unsure: neither.
enum class Change { same, faster, slower, unsure };
std::string to_string(Change change);  // "SAME", "FASTER", "SLOWER", "UNSURE"

struct ComparedTime {
  std::string what;
  MeasuredTime first, second;
  double ratio = 0;          // second / first: below 1 is faster
  double low = 0, high = 0;  // of the ratio, from the ends of the intervals
  Change change = Change::unsure;
};

struct TimeComparison {
  std::vector<ComparedTime> both;  // in the order of their names
  std::vector<std::string> only_first, only_second;
  double geometric_mean = 1;  // of the ratios
  int count(Change change) const;
};

TimeComparison compare_times(const MeasuredTimes& first, const MeasuredTimes& second);

}  // namespace tuner
