#include "tuner/report/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/report/study_points.h"
#include "tuner/report/table.h"
#include "tuner/report/table_text.h"
#include "tuner/report/text_plot.h"

namespace tuner {
namespace {

std::vector<double> ilps(const Study& study) {
  std::vector<double> values;
  for (const StudyPoint& point : study.points) values.push_back(point.ilp);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

double little_occupancy(const StudyPoint& point) {
  return point.occupancy * point.little_warps / point.warps_per_sm;
}

StudyNeed need_of(const Study& study, double ilp, bool measured, double peak) {
  StudyNeed need;
  need.ilp = ilp;
  for (const StudyPoint& point : study.points) {
    if (point.ilp != ilp || !has_time(point, measured)) continue;
    const double share = throughput(study, time_of(point, measured)) / peak;
    need.best = std::max(need.best, share);
    if (share >= kEnough) {
      need.enough = std::min(need.enough.value_or(1), point.occupancy);
    }
    if (point.little_warps > 0 && point.warps_per_sm > 0) {
      need.little = std::min(need.little.value_or(1e9), little_occupancy(point));
    }
  }
  return need;
}

// The best of each occupancy, so that the curve is one.
std::vector<ChartPoint> curve(const Study& study, double ilp, bool measured) {
  std::map<double, double> best;
  for (const StudyPoint& point : study.points) {
    if (point.ilp != ilp || !has_time(point, measured)) continue;
    double& value = best[100 * point.occupancy];
    value = std::max(value, throughput(study, time_of(point, measured)));
  }
  std::vector<ChartPoint> points;
  for (const auto& [occupancy, value] : best) points.push_back({occupancy, value});
  return points;
}

std::vector<ChartPoint> all_points(const Study& study, double ilp, bool measured) {
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const StudyPoint& point = study.points[i];
    if (point.ilp != ilp || !has_time(point, measured)) continue;
    points.push_back(
        {100 * point.occupancy, throughput(study, time_of(point, measured)), static_cast<int>(i)});
  }
  return points;
}

// In flight as much as latency times roof, or a share of the roof.
std::vector<ChartPoint> little_line(const Study& study, double ilp) {
  for (const StudyPoint& point : study.points) {
    if (point.ilp != ilp || !(point.little_warps > 0) || point.warps_per_sm == 0) continue;
    const double knee = 100 * little_occupancy(point);
    if (knee >= 100) return {{0, 0}, {100, study.roof * 100 / knee}};
    return {{0, 0}, {knee, study.roof}, {100, study.roof}};
  }
  return {};
}

std::string number(double value) {
  return value > 0 && std::isfinite(value) ? four_digits(value) : "";
}

std::string percent(const std::optional<double>& part, const StudyNeed& need) {
  return part ? fmt::format("{:.0f} %", 100 * *part)
              : fmt::format("never: {:.0f} % at best", 100 * need.best);
}

std::vector<std::string> cells(const Study& study, const StudyPoint& point) {
  const bool predicted = has_time(point, false);
  return {fmt::format("{:g}", point.ilp),
          number(point.load_bytes),
          to_string(point.knob),
          std::to_string(point.threads),
          point.registers > 0 ? std::to_string(point.registers) : "?",
          std::to_string(point.spill_bytes),
          std::to_string(point.ballast),
          std::to_string(point.blocks_per_sm),
          std::to_string(point.warps_per_sm),
          fmt::format("{:.1f}", 100 * point.occupancy),
          number(point.in_flight / 1024),
          number(point.predicted_ns * 1e-3),
          point.failure.empty() ? number(point.time_ns * 1e-3) : point.failure,
          predicted ? number(throughput(study, point.predicted_ns)) : "",
          point.measured() ? number(throughput(study, point.time_ns)) : "",
          point.measured() ? fmt::format("{:.2f}", point.time_ns / point.predicted_ns) : "",
          point.bound,
          point.config};
}

std::string spill_text(const Study& study) {
  std::string text;
  for (const SpillLimit& limit : spill_limits(study)) {
    text +=
        fmt::format("ILP {:g} spills at {} registers a thread and fewer (occupancy {:.0f} %).\n",
                    limit.ilp, limit.spills_at, 100 * limit.occupancy);
  }
  return text;
}

std::string heading(const Study& study) {
  return fmt::format(
      "{} {} on {}: {}", study.kernel, study.problem, study.device,
      any_measured(study) ? "measured and predicted" : "PREDICTED; nothing was measured");
}

std::string explanation(const Study& study) {
  return fmt::format(
      "Occupancy is moved without changing the code by dynamic shared memory that nobody uses, and "
      "by {}; ILP by {}. Enough is the smallest occupancy that reaches 95 % of the peak of all "
      "points. Little's law asks for latency x roof in flight: the more chains a thread has, the "
      "fewer warps it takes.",
      study.block_parameter.empty() ? "registers"
                                    : "block size (" + study.block_parameter + ") and registers",
      study.ilp_parameter.empty() ? "nothing (the kernel has no parameter for it)"
                                  : study.ilp_parameter);
}

}  // namespace

std::string to_string(Knob knob) {
  switch (knob) {
    case Knob::ballast:
      return "shared memory";
    case Knob::registers:
      return "registers";
    case Knob::vector_width:
      return "vector width";
    case Knob::block_size:
      break;
  }
  return "block size";
}

double throughput(const Study& study, double time_ns) { return study.work / time_ns; }

StudySummary summarize(const Study& study, bool measured) {
  StudySummary summary;
  for (const StudyPoint& point : study.points) {
    if (!has_time(point, measured)) continue;
    summary.peak = std::max(summary.peak, throughput(study, time_of(point, measured)));
  }
  if (!(summary.peak > 0)) return summary;
  for (const double ilp : ilps(study)) {
    summary.needs.push_back(need_of(study, ilp, measured, summary.peak));
  }
  return summary;
}

std::vector<SpillLimit> spill_limits(const Study& study) {
  std::map<double, SpillLimit> limits;
  for (const StudyPoint& point : study.points) {
    if (point.spill_bytes == 0) continue;
    SpillLimit& limit = limits[point.ilp];
    if (point.registers <= limit.spills_at) continue;
    limit = {point.ilp, point.registers, point.occupancy};
  }
  std::vector<SpillLimit> all;
  for (const auto& [ilp, limit] : limits) all.push_back(limit);
  return all;
}

Chart study_chart(const Study& study) {
  const bool measured = any_measured(study);
  Chart chart;
  chart.id = "study";
  chart.title = "Throughput against occupancy, a curve for each ILP";
  chart.x = {"theoretical occupancy, %", false, {}, true};
  chart.y = {study.unit, false, {}, true};
  const std::vector<double> values = ilps(study);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int color = color_of(i, values.size());
    chart.series.push_back({"", Mark::line, color, measured, curve(study, values[i], false)});
    chart.series.push_back({fmt::format("ILP {:g}", values[i]), Mark::points, color, false,
                            all_points(study, values[i], measured)});
    if (study.roof > 0) {
      chart.series.push_back({"", Mark::line, 6, true, little_line(study, values[i])});
    }
  }
  chart.caption = measured
                      ? "Points are measured; dashed curves in their colour are predicted, grey "
                        "dashed ones are Little's law under the roof."
                      : "All predicted: nothing was measured. Grey dashed lines are Little's "
                        "law under the roof.";
  return chart;
}

PageTable points_table(const Study& study) {
  PageTable table{"study-points",
                  "Points of the study",
                  {{"ILP", true},
                   {"load bytes", true},
                   {"moved by"},
                   {"block", true},
                   {"registers", true},
                   {"spilled", true},
                   {"ballast bytes", true},
                   {"blocks/SM", true},
                   {"warps/SM", true},
                   {"occupancy %", true},
                   {"KB in flight/SM", true},
                   {"predicted us", true},
                   {"measured us", true},
                   {"predicted " + study.unit, true},
                   {"measured " + study.unit, true},
                   {"measured / predicted", true},
                   {"bound by"},
                   {"configuration"}},
                  {}};
  for (const auto* points : {&study.points, &study.width_points}) {
    for (const StudyPoint& point : *points) table.rows.push_back(cells(study, point));
  }
  return table;
}

PageTable needs_table(const Study& study) {
  PageTable table{
      "study-needs",
      "Occupancy that reaches 95 % of the peak",
      {{"ILP", true}, {"predicted", true}, {"measured", true}, {"by Little's law", true}},
      {}};
  const StudySummary predicted = summarize(study, false), measured = summarize(study, true);
  for (std::size_t i = 0; i < predicted.needs.size(); ++i) {
    const StudyNeed& need = predicted.needs[i];
    table.rows.push_back(
        {fmt::format("{:g}", need.ilp), percent(need.enough, need),
         i < measured.needs.size() ? percent(measured.needs[i].enough, measured.needs[i]) : "",
         need.little ? fmt::format("{:.0f} %", 100 * *need.little) : ""});
  }
  return table;
}

PageTable study_counters_table(const Study& study) {
  std::vector<CounterRow> rows;
  for (const auto* points : {&study.points, &study.width_points}) {
    for (const StudyPoint& point : *points) {
      if (point.counters) rows.push_back(*point.counters);
    }
  }
  return counters_table(rows);
}

std::string study_text(const Study& study, bool color) {
  std::string text = heading(study) + "\n\n";
  for (const Chart& chart : study_charts(study)) {
    text += chart.title + '\n' + text_plot(chart) + '\n';
  }
  text += terminal_text(points_table(study), color) + '\n';
  text += "occupancy that reaches 95 % of the peak\n" + terminal_text(needs_table(study), color);
  const PageTable widths = widths_table(study);
  if (!widths.rows.empty()) text += '\n' + widths.title + '\n' + terminal_text(widths, color);
  if (const PageTable counters = study_counters_table(study); !counters.rows.empty()) {
    text += '\n' + counters.title + '\n' + terminal_text(counters, color);
  }
  return text + spill_text(study) + '\n' + wrapped(explanation(study));
}

Page study_page(const Study& study) {
  Page page("tuner study");
  page.heading(study.kernel + ": occupancy against instruction-level parallelism");
  page.paragraph(heading(study));
  for (const std::string& note : study.notes) page.note(note);
  page.paragraph(explanation(study));
  for (const Chart& chart : study_charts(study)) page.add(chart);
  page.add(needs_table(study));
  if (const PageTable widths = widths_table(study); !widths.rows.empty()) page.add(widths);
  if (const std::string spills = spill_text(study); !spills.empty()) page.paragraph(spills);
  page.add(points_table(study));
  if (const PageTable counters = study_counters_table(study); !counters.rows.empty()) {
    page.add(counters);
  }
  return page;
}

}  // namespace tuner
