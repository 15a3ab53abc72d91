#include "tuner/report/lab_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/report/table.h"
#include "tuner/report/table_text.h"

namespace tuner {
namespace {

using Time = double LabRow::*;

bool has(const LabRow& row, Time time) { return row.*time > 0 && std::isfinite(row.*time); }

// By useful work, since rows may do different amounts of it.
double cost(const LabRow& row, Time time) { return row.*time / row.work; }

const LabRow* baseline(const LabReport& report) {
  const auto found = std::ranges::find(report.rows, report.baseline, &LabRow::label);
  return found == report.rows.end() ? nullptr : &*found;
}

std::string against(const LabReport& report, const LabRow& row, Time time) {
  const LabRow* base = baseline(report);
  if (base == nullptr || !has(*base, time) || !has(row, time)) return "";
  return fmt::format("{:.2f}", cost(row, time) / cost(*base, time));
}

std::string number(double value) {
  return value > 0 && std::isfinite(value) ? four_digits(value) : "";
}

struct Extremes {
  const LabRow* fastest = nullptr;
  const LabRow* slowest = nullptr;
};

Extremes extremes(const LabReport& report, Time time) {
  Extremes found;
  for (const LabRow& row : report.rows) {
    if (!has(row, time)) continue;
    if (found.fastest == nullptr || cost(row, time) < cost(*found.fastest, time)) {
      found.fastest = &row;
    }
    if (found.slowest == nullptr || cost(row, time) > cost(*found.slowest, time)) {
      found.slowest = &row;
    }
  }
  return found;
}

std::string ratio(const LabReport& report, Time time, const char* how) {
  const auto [fastest, slowest] = extremes(report, time);
  if (fastest == nullptr || fastest == slowest) return "";
  return fmt::format("{}: {} takes {:.2f} times as long as {}\n", how, slowest->label,
                     cost(*slowest, time) / cost(*fastest, time), fastest->label);
}

}  // namespace

PageTable lab_table(const LabReport& report) {
  PageTable table{report.name,
                  report.title,
                  {{"case"},
                   {"block", true},
                   {"registers", true},
                   {"spilled", true},
                   {"blocks/SM", true},
                   {"driver's blocks/SM", true},
                   {"occupancy %", true},
                   {"limited by"},
                   {"sectors", true},
                   {"wavefronts", true},
                   {"FLOP/byte of DRAM", true},
                   {"of L2", true},
                   {"roof", true},
                   {"predicted us", true},
                   {"measured us", true},
                   {"first run us", true},
                   {"predicted " + report.unit, true},
                   {"measured " + report.unit, true},
                   {"predicted ratio", true},
                   {"measured ratio", true},
                   {"bound by"}},
                  {}};
  for (const LabRow& row : report.rows) {
    table.rows.push_back(
        {row.label,
         std::to_string(row.threads),
         row.registers > 0 ? std::to_string(row.registers) : "?",
         row.spill_bytes > 0 ? std::to_string(row.spill_bytes) : "",
         std::to_string(row.blocks_per_sm),
         row.driver_blocks_per_sm ? std::to_string(*row.driver_blocks_per_sm) : "",
         fmt::format("{:.1f}", 100 * row.occupancy),
         row.limiters,
         number(row.sectors),
         number(row.wavefronts),
         number(row.intensity),
         number(row.l2_intensity),
         number(row.roof),
         has(row, &LabRow::predicted_ns) ? number(row.predicted_ns * 1e-3) : row.failure,
         report.measured && !has(row, &LabRow::time_ns) ? row.failure : number(row.time_ns * 1e-3),
         number(row.first_ns * 1e-3),
         number(row.work / row.predicted_ns),
         has(row, &LabRow::time_ns) ? number(row.work / row.time_ns) : "",
         against(report, row, &LabRow::predicted_ns),
         against(report, row, &LabRow::time_ns),
         row.bound});
  }
  return table;
}

PageTable lab_counters_table(const LabReport& report) {
  std::vector<CounterRow> rows;
  for (const LabRow& row : report.rows) {
    if (row.counters) rows.push_back(*row.counters);
  }
  PageTable table = counters_table(rows);
  table.id = report.name + "-counters";
  return table;
}

std::string lab_ratio(const LabReport& report) {
  return ratio(report, &LabRow::time_ns, "measured") +
         ratio(report, &LabRow::predicted_ns, "predicted");
}

std::string suggestion_text(const LabReport& report) {
  const auto one = [](const char* who, const std::optional<SuggestedBlock>& suggested) {
    if (!suggested) return std::string();
    return fmt::format("{}: blocks of {} threads; {} of them fill the GPU\n", who, suggested->block,
                       suggested->min_grid);
  };
  return one("suggested by the model", report.suggested) +
         one("suggested by the driver", report.suggested_by_driver);
}

std::string lab_text(const LabReport& report, bool color) {
  std::string text = fmt::format("{} on {}{}\n", report.title, report.device,
                                 report.measured ? "" : ": PREDICTED; nothing was measured");
  text += terminal_text(lab_table(report), color) + lab_ratio(report);
  if (!report.baseline.empty()) {
    text += fmt::format("Ratios are of the time for the same work, to {}.\n", report.baseline);
  }
  text += suggestion_text(report);
  if (const PageTable counters = lab_counters_table(report); !counters.rows.empty()) {
    text += '\n' + counters.title + '\n' + terminal_text(counters, color);
  }
  for (const std::string& note : report.notes) text += wrapped(note);
  return text + wrapped(report.why);
}

}  // namespace tuner
