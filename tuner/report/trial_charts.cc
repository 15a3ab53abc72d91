#include "tuner/report/trial_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tuner {
namespace {

constexpr double kNsPerUs = 1e3;

double us(const ReportTrial& trial) { return trial.time_ns / kNsPerUs; }

Chart chart_of(const TrialReport& report, const char* name, std::string title) {
  Chart chart;
  chart.id = report.id + "-" + name;
  chart.title = std::move(title);
  return chart;
}

ChartPoint point(double x, double y, std::size_t row) { return {x, y, static_cast<int>(row)}; }

// Visits the trials that have a time and a model.
template <typename Visit>
void for_modelled(const TrialReport& report, Visit visit) {
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const ReportTrial& trial = report.trials[i];
    if (trial.measured() && trial.model) visit(i, trial, *trial.model);
  }
}

void add_winner(const TrialReport& report, const Series& trials, Series winner, Chart& chart) {
  winner.name = "fastest";
  winner.color = 1;
  winner.large = true;
  for (const ChartPoint& one : trials.points) {
    if (report.winner && one.row == static_cast<int>(*report.winner)) winner.points.push_back(one);
  }
  if (!winner.points.empty()) chart.series.push_back(std::move(winner));
}

// y = min(slope * x, roof) over the x of `trials`, and some way beyond the ridge.
Series roof(std::string name, int color, double slope, double peak, double low, double high) {
  Series series{std::move(name), Mark::line, color, false, {}};
  const double ridge = peak / slope;
  series.points.push_back({low, std::min(slope * low, peak)});
  if (ridge > low && ridge < high) series.points.push_back({ridge, peak});
  series.points.push_back({high, std::min(slope * high, peak)});
  return series;
}

std::pair<double, double> x_range(const Series& series) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ChartPoint& one : series.points) {
    low = std::min(low, one.x);
    high = std::max(high, one.x);
  }
  return {low, high};
}

Chart compute_roofline(const TrialReport& report) {
  Chart chart = chart_of(report, "roofline", "Roofline");
  chart.x = {"FLOPs a byte moved to and from DRAM, by the model", true, {}};
  chart.y = {"GFLOP/s", true, {}};
  Series trials{"trials", Mark::points, 0, false, {}};
  for_modelled(report, [&](std::size_t i, const ReportTrial& trial, const TrialModel& model) {
    if (!(model.moved_bytes > 0)) return;
    trials.points.push_back(
        point(report.useful_flops / model.moved_bytes, report.useful_flops / trial.time_ns, i));
  });
  if (trials.points.empty()) return chart;
  const models::DeviceProfile& device = *report.profile;
  const double peak = device.fp32_gflops();
  auto [low, high] = x_range(trials);
  low = std::min(low, 0.5 * peak / device.dram_gbps);
  high = std::max(high, 2 * peak / device.dram_gbps);
  chart.series.push_back(
      roof(fmt::format("DRAM {:.0f} GB/s, FP32 {:.0f} GFLOP/s", device.dram_gbps, peak), 2,
           device.dram_gbps, peak, low, high));
  chart.series.push_back(trials);
  add_winner(report, trials, {}, chart);
  chart.caption =
      "Useful FLOPs over measured time, against the bytes that the model sees moved. Left of the "
      "ridge DRAM binds, right of it arithmetic; the distance to the roof is what latency, "
      "occupancy, instructions and shared memory cost.";
  return chart;
}

Chart bandwidth_roofline(const TrialReport& report) {
  Chart chart = chart_of(report, "roofline", "Roofline of the bandwidth");
  chart.x = {"useful share of the bytes moved to and from DRAM, by the model", false, {}};
  chart.y = {"useful GB/s", false, {}, true};
  Series trials{"trials", Mark::points, 0, false, {}};
  for_modelled(report, [&](std::size_t i, const ReportTrial& trial, const TrialModel& model) {
    if (!(model.moved_bytes > 0)) return;
    trials.points.push_back(point(std::min(1.0, report.useful_bytes / model.moved_bytes),
                                  report.useful_bytes / trial.time_ns, i));
  });
  if (trials.points.empty()) return chart;
  const double gbps = report.profile->dram_gbps;
  chart.series.push_back(
      {fmt::format("DRAM {:.0f} GB/s", gbps), Mark::line, 2, false, {{0, 0}, {1, gbps}}});
  chart.series.push_back(trials);
  add_winner(report, trials, {}, chart);
  chart.caption =
      "Useful bytes over measured time, against the share of what is moved that is useful. The "
      "line is what DRAM could give; below it requests are too few, too small, or too far apart.";
  return chart;
}

std::vector<double> distinct_ilp(const TrialReport& report) {
  std::vector<double> values;
  for_modelled(report, [&](std::size_t, const ReportTrial&, const TrialModel& model) {
    values.push_back(std::exp2(std::round(std::log2(std::max(1.0, model.ilp)))));
  });
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

int ordered_color(std::size_t place, std::size_t count) {
  constexpr int kLast = kColors - 1 - kFirstOrderedColor;
  return count < 2 ? kFirstOrderedColor + 2
                   : kFirstOrderedColor + static_cast<int>(place * kLast / (count - 1));
}

double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ChartBox box_of(std::vector<double> times) {
  if (times.empty()) return {};
  std::ranges::sort(times);
  return {times.front(), quantile(times, 0.25), quantile(times, 0.5), quantile(times, 0.75),
          times.back()};
}

// Numbers by size, texts by name.
bool by_value(const std::string& a, const std::string& b) {
  char* end_a = nullptr;
  char* end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool numbers = *end_a == '\0' && *end_b == '\0' && !a.empty() && !b.empty();
  return numbers && x != y ? x < y : a < b;
}

Chart parameter_chart(const TrialReport& report, std::size_t parameter) {
  Chart chart = chart_of(report, fmt::format("parameter-{}", parameter).c_str(),
                         report.parameters[parameter]);
  chart.small = true;
  chart.y = {"us", true, {}};
  std::map<std::string, std::vector<double>, decltype(&by_value)> times(&by_value);
  for (const ReportTrial& trial : report.trials) {
    if (trial.measured()) times[trial.values[parameter]].push_back(us(trial));
  }
  if (times.size() < 2) return chart;
  for (const auto& [value, all] : times) {
    chart.x.categories.push_back(value);
    chart.boxes.push_back(box_of(all));
  }
  return chart;
}

}  // namespace

Chart roofline_chart(const TrialReport& report) {
  if (!report.profile) return {};
  if (report.useful_flops > 0) return compute_roofline(report);
  return report.useful_bytes > 0 ? bandwidth_roofline(report) : Chart{};
}

Chart progress_chart(const TrialReport& report) {
  Chart chart = chart_of(report, "progress", "Progress of the search");
  chart.x = {"trial", false, {}};
  chart.y = {"us", true, {}};
  Series whole{"measured", Mark::points, 0, false, {}};
  Series cut{"abandoned early", Mark::points, 6, false, {}};
  Series best{"best so far", Mark::line, 1, false, {}};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const ReportTrial& trial = report.trials[i];
    if (!trial.measured()) continue;
    const double at = static_cast<double>(i + 1);
    (trial.abandoned ? cut : whole).points.push_back(point(at, us(trial), i));
    if (trial.abandoned || us(trial) >= least) continue;
    if (std::isfinite(least)) best.points.push_back({at, least});
    least = us(trial);
    best.points.push_back({at, least});
  }
  if (!best.points.empty()) {
    best.points.push_back({static_cast<double>(report.trials.size()), least});
  }
  for (Series* series : {&whole, &cut, &best}) {
    if (!series->points.empty()) chart.series.push_back(std::move(*series));
  }
  chart.caption = "Trials in the order in which they ended; those that failed have no time.";
  return chart;
}

Chart occupancy_chart(const TrialReport& report) {
  Chart chart =
      chart_of(report, "occupancy", "Occupancy against time, by instruction-level parallelism");
  chart.x = {"theoretical occupancy, %", false, {}, true};
  chart.y = {"us", true, {}};
  const std::vector<double> values = distinct_ilp(report);
  for (std::size_t i = 0; i < values.size(); ++i) {
    chart.series.push_back({fmt::format("ILP {:g}", values[i]),
                            Mark::points,
                            ordered_color(i, values.size()),
                            false,
                            {}});
  }
  for_modelled(report, [&](std::size_t i, const ReportTrial& trial, const TrialModel& model) {
    const double ilp = std::exp2(std::round(std::log2(std::max(1.0, model.ilp))));
    const auto place = std::ranges::find(values, ilp) - values.begin();
    chart.series[static_cast<std::size_t>(place)].points.push_back(
        point(100 * model.occupancy, us(trial), i));
  });
  chart.caption =
      "Occupancy is from the compiled registers and the shared memory that the launch asks for; "
      "independent chains a thread are the model's, to the nearest power of two. Fast and low "
      "occupancy go together where chains, not warps, hide the latency.";
  return chart;
}

Chart model_chart(const TrialReport& report) {
  Chart chart = chart_of(report, "model", "Model against measurement");
  chart.x = {"predicted us", true, {}};
  chart.y = {"measured us", true, {}};
  Series trials{"trials", Mark::points, 0, false, {}};
  std::vector<models::RankedTrial> ranked;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for_modelled(report, [&](std::size_t i, const ReportTrial& trial, const TrialModel& model) {
    if (!std::isfinite(model.predicted_ns) || trial.abandoned) return;
    trials.points.push_back(point(model.predicted_ns / kNsPerUs, us(trial), i));
    ranked.push_back({model.predicted_ns, trial.time_ns, true});
    low = std::min({low, model.predicted_ns / kNsPerUs, us(trial)});
    high = std::max({high, model.predicted_ns / kNsPerUs, us(trial)});
  });
  if (trials.points.empty()) return chart;
  chart.series.push_back(trials);
  add_winner(report, trials, {}, chart);
  chart.series.push_back({"equal", Mark::line, 6, true, {{low, low}, {high, high}}});
  const models::RankQuality quality = models::rank_quality(ranked);
  chart.caption = fmt::format(
      "{} trials; Spearman's rank correlation {:.3f}, Kendall's {:.3f}. The model's first pick "
      "reaches {:.1f} % of the best, the best of its first 16 reach {:.1f} %.",
      ranked.size(), quality.spearman, quality.kendall, 100 * quality.top1, 100 * quality.top16);
  return chart;
}

Chart failures_chart(const TrialReport& report) {
  constexpr std::size_t kShown = 12;
  Chart chart = chart_of(report, "failures", "Failures by reason");
  std::map<std::string, std::size_t> counts;
  for (const ReportTrial& trial : report.trials) {
    if (trial.status == "ok") continue;
    const std::string why = trial.reason.substr(0, trial.reason.find('\n'));
    ++counts[why.empty() ? trial.status : trial.status + ": " + why];
  }
  std::vector<std::pair<std::string, std::size_t>> ordered(counts.begin(), counts.end());
  std::ranges::stable_sort(ordered,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  Series bars{"", Mark::bars, 1, false, {}};
  for (std::size_t i = 0; i < std::min(kShown, ordered.size()); ++i) {
    chart.y.categories.push_back(ordered[i].first);
    bars.points.push_back({static_cast<double>(ordered[i].second), static_cast<double>(i)});
  }
  chart.x = {"configurations", false, {}, true};
  if (!bars.points.empty()) chart.series.push_back(std::move(bars));
  if (ordered.size() > kShown) {
    chart.caption = fmt::format("The {} most frequent of {} reasons.", kShown, ordered.size());
  }
  return chart;
}

std::vector<Chart> parameter_charts(const TrialReport& report) {
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < report.parameters.size(); ++i) {
    Chart chart = parameter_chart(report, i);
    if (!chart.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> trial_charts(const TrialReport& report) {
  std::vector<Chart> charts;
  for (Chart chart : {roofline_chart(report), progress_chart(report), occupancy_chart(report),
                      model_chart(report), failures_chart(report)}) {
    if (!chart.empty()) charts.push_back(std::move(chart));
  }
  for (Chart& chart : parameter_charts(report)) charts.push_back(std::move(chart));
  return charts;
}

}  // namespace tuner
