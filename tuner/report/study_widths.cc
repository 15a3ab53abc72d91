// The part of a study on memory parallelism: throughput by bytes in flight, a curve for each width
// of loads.
#include <fmt/format.h>

#include <map>

#include "tuner/report/study_points.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

constexpr double kKilobyte = 1024;

std::vector<double> widths(const Study& study) {
  std::vector<double> values;
  for (const StudyPoint& point : study.width_points) values.push_back(point.load_bytes);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool any_width_measured(const Study& study) {
  return std::ranges::any_of(study.width_points, &StudyPoint::measured);
}

// The best of as many bytes, so that the curve is one.
std::vector<ChartPoint> curve(const Study& study, double width, bool measured) {
  std::map<double, double> best;
  for (const StudyPoint& point : study.width_points) {
    if (point.load_bytes != width || !has_time(point, measured)) continue;
    double& value = best[point.in_flight / kKilobyte];
    value = std::max(value, throughput(study, measured ? point.time_ns : point.predicted_ns));
  }
  std::vector<ChartPoint> points;
  for (const auto& [in_flight, value] : best) points.push_back({in_flight, value});
  return points;
}

double peak_of(const Study& study, bool measured) {
  double peak = 0;
  for (const StudyPoint& point : study.width_points) {
    if (!has_time(point, measured)) continue;
    peak = std::max(peak, throughput(study, time_of(point, measured)));
  }
  return peak;
}

std::string kilobytes(const WidthNeed& need) {
  return need.enough ? fmt::format("{:.0f} KB", *need.enough / kKilobyte)
                     : fmt::format("never: {:.0f} % at best", 100 * need.best);
}

// Latency times roof, up to the roof.
Series little_line(const Study& study) {
  const StudyPoint& first = study.width_points.front();
  double most = 0;
  for (const StudyPoint& point : study.width_points) most = std::max(most, point.in_flight);
  const double knee = first.needed_in_flight / kKilobyte, end = most / kKilobyte;
  Series line{"", Mark::line, 6, true, {{0, 0}}};
  if (knee < end) line.points.push_back({knee, study.roof});
  line.points.push_back({end, study.roof * std::min(1.0, end / knee)});
  return line;
}

}  // namespace

std::vector<WidthNeed> width_needs(const Study& study, bool measured) {
  const double peak = peak_of(study, measured);
  std::vector<WidthNeed> needs;
  if (!(peak > 0)) return needs;
  for (const double width : widths(study)) {
    WidthNeed need;
    need.load_bytes = width;
    for (const StudyPoint& point : study.width_points) {
      if (point.load_bytes != width || !has_time(point, measured)) continue;
      const double share = throughput(study, time_of(point, measured)) / peak;
      need.best = std::max(need.best, share);
      if (share < kEnough) continue;
      need.enough = std::min(need.enough.value_or(point.in_flight), point.in_flight);
    }
    needs.push_back(need);
  }
  return needs;
}

Chart width_chart(const Study& study) {
  Chart chart;
  const std::vector<double> values = widths(study);
  if (values.size() < 2) return chart;
  const bool measured = any_width_measured(study);
  chart.id = "study-widths";
  chart.title = "Throughput against bytes in flight, a curve for each width of loads";
  chart.x = {"KB of loads in flight a SM", false, {}, true};
  chart.y = {study.unit, false, {}, true};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int color = color_of(i, values.size());
    const std::string name = fmt::format("{:g}-byte loads", values[i]);
    if (measured)
      chart.series.push_back({"", Mark::line, color, true, curve(study, values[i], false)});
    chart.series.push_back({"", Mark::line, color, false, curve(study, values[i], measured)});
    chart.series.push_back({name, Mark::points, color, false, curve(study, values[i], measured)});
  }
  const bool has_line = study.roof > 0 && study.width_points.front().needed_in_flight > 0;
  if (has_line) chart.series.push_back(little_line(study));
  chart.caption = fmt::format(
      "{} The grey dashed line is Little's law, latency times roof, under the roof. Were bytes in "
      "flight all that matters, the curves would lie on each other: what keeps them apart is what "
      "each load costs besides (instructions, tags, blocks).",
      measured ? "Points are measured, dashed curves in their colour predicted."
               : "All predicted: nothing was measured.");
  return chart;
}

PageTable widths_table(const Study& study) {
  PageTable table{
      "study-widths",
      "Bytes in flight a SM that reach 95 % of the peak, by width of loads",
      {{"load bytes", true}, {"predicted", true}, {"measured", true}, {"by Little's law", true}},
      {}};
  if (widths(study).size() < 2) return table;
  const std::vector<WidthNeed> predicted = width_needs(study, false);
  const std::vector<WidthNeed> measured = width_needs(study, true);
  const double little = study.width_points.front().needed_in_flight;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    table.rows.push_back({fmt::format("{:g}", predicted[i].load_bytes), kilobytes(predicted[i]),
                          i < measured.size() ? kilobytes(measured[i]) : "",
                          little > 0 ? fmt::format("{:.0f} KB", little / kKilobyte) : ""});
  }
  return table;
}

std::vector<Chart> study_charts(const Study& study) {
  std::vector<Chart> charts = {study_chart(study)};
  if (Chart widths = width_chart(study); !widths.empty()) charts.push_back(std::move(widths));
  return charts;
}

}  // namespace tuner
