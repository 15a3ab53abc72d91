#include "tuner/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tuner {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

// Room beyond the outermost points, and for a single value.
Range padded(Range range, const ChartAxis& axis) {
  constexpr double kRoom = 0.04;
  if (range.empty()) return axis.log ? Range{1, 10} : Range{0, 1};
  if (axis.log) {
    const double room = std::pow(std::max(range.high / range.low, 1.5), kRoom);
    return {range.low / room, range.high * room};
  }
  const double span = range.high - range.low;
  const double room = kRoom * (span > 0 ? span : std::max(std::abs(range.high), 1.0));
  if (axis.from_zero) return {std::min(0.0, range.low), std::max(range.high, 0.0) + room};
  return {range.low - room, range.high + room};
}

AxisPlan band_plan(const ChartAxis& axis, std::size_t label_width) {
  AxisPlan plan;
  plan.band = true;
  plan.low = -0.5;
  plan.high = static_cast<double>(axis.categories.size()) - 0.5;
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    plan.ticks.push_back({static_cast<double>(i), shortened(axis.categories[i], label_width)});
  }
  return plan;
}

AxisPlan axis_plan(const ChartAxis& axis, const Range& range, int about, std::size_t label_width) {
  if (!axis.categories.empty()) return band_plan(axis, label_width);
  const Range shown = padded(range, axis);
  AxisPlan plan{axis.log, false, shown.low, shown.high, {}};
  const std::vector<double> ticks =
      axis.log ? log_ticks(shown.low, shown.high) : linear_ticks(shown.low, shown.high, about);
  for (const double value : ticks) plan.ticks.push_back({value, tick_label(value)});
  return plan;
}

std::vector<double> powers_times(double low, double high, std::initializer_list<double> factors) {
  std::vector<double> ticks;
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power) {
    for (const double factor : factors) {
      const double value = factor * std::pow(10, power);
      if (value >= low && value <= high) ticks.push_back(value);
    }
  }
  return ticks;
}

}  // namespace

bool Chart::empty() const {
  return boxes.empty() &&
         std::ranges::all_of(series, [](const Series& one) { return one.points.empty(); });
}

double AxisPlan::at(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

std::vector<double> linear_ticks(double low, double high, int about) {
  const double rough = (high - low) / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  if (high / low > 1e4) return powers_times(low, high, {1});
  if (high / low > 30) return powers_times(low, high, {1, 3});
  std::vector<double> ticks = powers_times(low, high, {1, 2, 5});
  return ticks.size() >= 3 ? ticks : linear_ticks(low, high, 4);
}

std::string tick_label(double value) {
  static constexpr std::array<const char*, 5> kSuffixes = {"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  // Four digits stand as they are.
  const bool large = std::abs(value) >= 9999.5;
  while (large && std::abs(value) >= 999.95 && suffix + 1 < kSuffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  return fmt::format("{:.4g}{}", std::abs(value) < 1e-12 ? 0.0 : value, kSuffixes[suffix]);
}

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

std::string shortened(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (text[at] & '\xC0') != '\x80';
    if (begins && ++characters == width) {
      // Where this is the last character, nothing is cut off.
      std::size_t end = at + 1;
      while (end < text.size() && (text[end] & '\xC0') == '\x80') ++end;
      return end == text.size() ? text : text.substr(0, at) + "…";
    }
  }
  return text;
}

ChartPlan plan(const Chart& chart) {
  Range x, y;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      x.add(point.x, chart.x.log);
      y.add(point.y, chart.y.log);
    }
  }
  for (const ChartBox& box : chart.boxes) {
    y.add(box.low, chart.y.log);
    y.add(box.high, chart.y.log);
  }
  return {axis_plan(chart.x, x, chart.small ? 4 : 8, chart.small ? 10 : 16),
          axis_plan(chart.y, y, chart.small ? 4 : 6, 44)};
}

bool is_shown(const ChartPlan& plan, const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && (!plan.x.log || point.x > 0) &&
         (!plan.y.log || point.y > 0);
}

}  // namespace tuner
