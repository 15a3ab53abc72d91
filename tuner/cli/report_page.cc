#include "tuner/cli/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/report/svg.h"
#include "tuner/report/table.h"
#include "tuner/report/trial_charts.h"
#include "tuner/store/measured_file.h"

namespace tuner {
namespace {

void keep_notes(const std::string& file, const std::vector<std::string>& notes,
                ReportContent& content) {
  for (const std::string& note : notes) content.notes.push_back(file + ": " + note);
}

void add_result(const std::string& file, std::string id, const ReportOptions& options,
                ReportContent& content) {
  ResultReport report = result_report(file, options);
  report.id = std::move(id);
  add_to(content.page, report);
  keep_notes(file, report.notes, content);
  if (Chart chart = speedup_chart(report); !chart.empty()) content.charts.push_back(chart);
}

void add_trials(const std::string& file, std::string id, const ReportOptions& options,
                ReportContent& content) {
  TrialReport report = trial_report(file, options);
  report.id = std::move(id);
  add_to(content.page, report);
  keep_notes(file, report.notes, content);
  for (Chart& chart : trial_charts(report)) content.charts.push_back(std::move(chart));
}

// A chart has a colour for each kind of change.
Series series_of(const TimeComparison& comparison, Change change, int color) {
  Series series{to_string(change), Mark::points, color, false, {}};
  std::vector<ComparedTime> ordered = comparison.both;
  std::ranges::stable_sort(ordered, {}, &ComparedTime::ratio);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (ordered[i].change == change) {
      series.points.push_back({static_cast<double>(i + 1), ordered[i].ratio});
    }
  }
  return series;
}

Chart ratio_chart(const TimeComparison& comparison) {
  Chart chart;
  chart.id = "ratios";
  chart.title = "Second over first, in order";
  chart.x = {"case, the most improved first", false, {}};
  chart.y = {"second / first", true, {}};
  for (const auto& [change, color] : {std::pair{Change::faster, 2},
                                      {Change::same, 6},
                                      {Change::unsure, 4},
                                      {Change::slower, 1}}) {
    Series series = series_of(comparison, change, color);
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const double last = static_cast<double>(std::max<std::size_t>(comparison.both.size(), 2));
  if (!chart.series.empty()) {
    chart.series.push_back({"equal", Mark::line, 6, true, {{1, 1}, {last, 1}}});
  }
  chart.caption =
      "Below 1 the second is faster. FASTER and SLOWER: the 95 % intervals have nothing in "
      "common; SAME: they lie within 1 %.";
  return chart;
}

PageTable ratio_table(const TimeComparison& comparison) {
  PageTable table{"comparison",
                  "Case by case",
                  {{"measured"},
                   {"first us", true},
                   {"second us", true},
                   {"second / first", true},
                   {"low", true},
                   {"high", true},
                   {"change"}},
                  {}};
  for (const ComparedTime& one : comparison.both) {
    table.rows.push_back({one.what, four_digits(one.first.time_ns * 1e-3),
                          four_digits(one.second.time_ns * 1e-3), fmt::format("{:.3f}", one.ratio),
                          fmt::format("{:.3f}", one.low), fmt::format("{:.3f}", one.high),
                          to_string(one.change)});
  }
  return table;
}

void add_only(Page& page, const std::string& which, const std::vector<std::string>& names) {
  if (names.empty()) return;
  PageTable table{"only-" + which, "Only in the " + which, {{"measured"}}, {}};
  for (const std::string& name : names) table.rows.push_back({name});
  page.add(table);
}

}  // namespace

ReportContent report_content(const std::vector<std::string>& files, const ReportOptions& options) {
  ReportContent content{Page("tuner report"), {}, {}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string id = fmt::format("f{}", i + 1);
    const bool is_result = measured_schema(files[i]) == "tuner.result";
    (is_result ? add_result : add_trials)(files[i], id, options, content);
  }
  return content;
}

std::vector<std::string> write_svgs(const std::vector<Chart>& charts, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw TunerError(fmt::format("--svg {}: {}", folder, error.message()));
  std::vector<std::string> paths;
  for (const Chart& chart : charts) {
    paths.push_back((std::filesystem::path(folder) / (chart.id + ".svg")).string());
    write_file_atomically(paths.back(), svg_file(chart));
  }
  return paths;
}

Page comparison_page(const std::string& kernel, const std::string& first, const std::string& second,
                     const TimeComparison& comparison) {
  Page page("tuner compare");
  page.heading("What changed in " + kernel);
  page.paragraph(fmt::format("first: {}; second: {}", first, second));
  page.facts({{"faster", std::to_string(comparison.count(Change::faster))},
              {"slower", std::to_string(comparison.count(Change::slower))},
              {"the same", std::to_string(comparison.count(Change::same))},
              {"unsure", std::to_string(comparison.count(Change::unsure))},
              {"geometric mean of the ratios", fmt::format("{:.3f}", comparison.geometric_mean)}});
  page.add(ratio_chart(comparison));
  page.add(ratio_table(comparison));
  add_only(page, "first", comparison.only_first);
  add_only(page, "second", comparison.only_second);
  return page;
}

}  // namespace tuner
