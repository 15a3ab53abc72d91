#include "tuner/report/result_report.h"

#include <fmt/format.h>

#include "tuner/report/table.h"

namespace tuner {
namespace {

std::string number(double value, double scale = 1) {
  return value > 0 ? four_digits(value * scale) : "";
}

PageTable winners(const ResultReport& report) {
  PageTable table{report.id + "-winners",
                  "Winners",
                  {{"problem"},
                   {"cache"},
                   {"device"},
                   {"winner"},
                   {"us", true},
                   {"low us", true},
                   {"high us", true},
                   {"default us", true},
                   {"times as fast", true},
                   {"GFLOP/s", true},
                   {"GB/s", true},
                   {"error of tolerance", true},
                   {"ties", true},
                   {"predicted us", true}},
                  {}};
  for (const ResultRow& row : report.rows) {
    table.rows.push_back({row.problem, row.cache, row.device, row.config, number(row.time_ns, 1e-3),
                          number(row.low_ns, 1e-3), number(row.high_ns, 1e-3),
                          number(row.default_ns, 1e-3), number(row.default_ns / row.time_ns),
                          number(row.gflops), number(row.gbps), fmt::format("{:.2g}", row.error),
                          std::to_string(row.ties), number(row.predicted_ns, 1e-3)});
  }
  return table;
}

PageTable environment(const ResultReport& report) {
  PageTable table{report.id + "-environment",
                  "Where and with what each was measured",
                  {{"problem"}, {"device"}, {"with"}, {"date"}, {"trials", true}},
                  {}};
  for (const ResultRow& row : report.rows) {
    table.rows.push_back(
        {row.problem, row.device, row.made_with, row.date, std::to_string(row.trials)});
  }
  return table;
}

}  // namespace

Chart speedup_chart(const ResultReport& report) {
  Chart chart;
  chart.id = report.id + "-speedup";
  chart.title = "Winner against default";
  chart.x = {"times as fast as the default", false, {}, true};
  Series bars{"", Mark::bars, 0, false, {}};
  for (const ResultRow& row : report.rows) {
    if (!(row.default_ns > 0 && row.time_ns > 0)) continue;
    bars.points.push_back(
        {row.default_ns / row.time_ns, static_cast<double>(chart.y.categories.size())});
    chart.y.categories.push_back(row.problem + " " + row.cache);
  }
  if (!bars.points.empty()) chart.series.push_back(std::move(bars));
  return chart;
}

void add_to(Page& page, const ResultReport& report) {
  page.heading("Tuned results of " + report.kernel);
  page.paragraph("from " + report.file);
  for (const std::string& note : report.notes) page.note(note);
  page.add(winners(report));
  page.add(speedup_chart(report));
  page.subheading("Why");
  for (const ResultRow& row : report.rows) {
    if (!row.words.empty()) page.paragraph(fmt::format("{}: {}", row.problem, row.words));
  }
  page.subheading("Environment");
  page.add(environment(report));
}

}  // namespace tuner
