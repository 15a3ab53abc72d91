#include "tuner/report/trial_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/report/limiters.h"
#include "tuner/report/table.h"
#include "tuner/report/trial_charts.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(double ns) {
  if (!(ns < std::numeric_limits<double>::infinity())) return "cannot launch";
  return ns >= 1e6 ? fmt::format("{:.4g} ms", ns * 1e-6) : fmt::format("{:.4g} us", ns * 1e-3);
}

std::string rate_text(const TrialReport& report, double ns) {
  if (report.useful_flops > 0) return fmt::format("{:.0f} GFLOP/s", report.useful_flops / ns);
  if (report.useful_bytes > 0) return fmt::format("{:.0f} GB/s", report.useful_bytes / ns);
  return "";
}

std::size_t count(const TrialReport& report, bool measured) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.trials, [&](const ReportTrial& trial) {
        return measured ? trial.measured() : trial.status != "ok" && trial.status != "pruned";
      }));
}

void add_facts(Page& page, const TrialReport& report) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (report.winner) {
    const ReportTrial& winner = report.trials[*report.winner];
    facts.emplace_back("fastest", time_text(winner.time_ns));
    if (const std::string rate = rate_text(report, winner.time_ns); !rate.empty()) {
      facts.emplace_back("useful work", rate);
    }
  }
  facts.emplace_back("trials", std::to_string(report.trials.size()));
  facts.emplace_back("measured", std::to_string(count(report, true)));
  facts.emplace_back("failed", std::to_string(count(report, false)));
  page.facts(facts);
}

void add_pipes(Page& page, const TrialReport& report) {
  PageTable table{report.id + "-pipes",
                  "What each unit would take alone",
                  {{"pipe"}, {"us", true}, {"of the predicted time", true}},
                  {}};
  const models::Estimate& estimate = report.explained->estimate;
  for (const models::Pipe& pipe : estimate.pipes) {
    if (!(pipe.time_ns > 0)) continue;
    table.rows.push_back({pipe.name, four_digits(pipe.time_ns * 1e-3),
                          fmt::format("{:.0f} %", 100 * pipe.time_ns / estimate.time_ns)});
  }
  page.add(table);
}

void add_accesses(Page& page, const TrialReport& report) {
  PageTable table{report.id + "-accesses",
                  "Memory accesses",
                  {{"access"},
                   {"memory"},
                   {"bytes a lane", true},
                   {"sectors a request", true},
                   {"efficiency %", true},
                   {"bank wavefronts", true}},
                  {}};
  for (const models::LaunchShape& launch : report.explained->shape.launches) {
    for (const models::MemoryAccess& access : launch.accesses) {
      table.rows.push_back(
          {access.name,
           fmt::format("{} {}", access.shared ? "shared" : "global",
                       access.store ? "store" : "load"),
           std::to_string(access.width_bytes),
           access.shared ? "" : fmt::format("{:.2f}", access.sectors_per_request),
           access.shared ? "" : fmt::format("{:.1f}", 100 * access.efficiency),
           access.bank_wavefronts > 0 ? fmt::format("{:.2f}", access.bank_wavefronts) : ""});
    }
  }
  if (!table.rows.empty()) page.add(table);
}

void add_launches(Page& page, const TrialReport& report) {
  PageTable table{report.id + "-launches",
                  "Launches",
                  {{"launch"},
                   {"blocks", true},
                   {"threads a block", true},
                   {"registers", true},
                   {"spilled bytes", true},
                   {"dynamic shared bytes", true},
                   {"blocks a SM", true},
                   {"occupancy %", true},
                   {"limited by"}},
                  {}};
  const auto& [shape, estimate] = *report.explained;
  for (std::size_t i = 0; i < shape.launches.size() && i < estimate.occupancy.size(); ++i) {
    const models::LaunchShape& launch = shape.launches[i];
    if (launch.memset_bytes > 0) continue;
    const models::Occupancy& occupancy = estimate.occupancy[i];
    table.rows.push_back(
        {launch.name, std::to_string(launch.blocks), std::to_string(launch.threads),
         launch.registers ? std::to_string(*launch.registers) : "",
         std::to_string(launch.spill_bytes), std::to_string(launch.dynamic_shared),
         std::to_string(occupancy.blocks_per_sm), fmt::format("{:.0f}", 100 * occupancy.occupancy),
         limiter_names(occupancy)});
  }
  page.add(table);
}

void add_winner(Page& page, const TrialReport& report) {
  if (!report.winner) return;
  page.subheading("The fastest, and why");
  const ReportTrial& winner = report.trials[*report.winner];
  page.configuration(report.winner_id);
  std::string text = fmt::format("Measured {}", time_text(winner.time_ns));
  if (winner.low_ns > 0) {
    text += fmt::format(" ({} to {})", time_text(winner.low_ns), time_text(winner.high_ns));
  }
  if (report.explained) {
    const models::Estimate& estimate = report.explained->estimate;
    text += fmt::format("; the model says {}, and that no run can beat {}. {}",
                        time_text(estimate.time_ns), time_text(estimate.bound_ns), estimate.words);
  }
  page.paragraph(text);
  if (!report.explained) return;
  add_pipes(page, report);
  add_launches(page, report);
  add_accesses(page, report);
}

Json number(double value) { return value > 0 ? Json(value) : Json(); }

PageData trials_of(const TrialReport& report) {
  PageData data{report.id + "-trials", "All trials", {{"trial", true}}, {}, 0};
  for (const std::string& name : report.parameters) data.columns.push_back({name});
  for (const char* name : {"status", "reason"}) data.columns.push_back({name});
  for (const char* name : {"us", "low us", "high us", "registers", "spilled bytes", "compile ms",
                           "predicted us", "occupancy %", "ILP"}) {
    data.columns.push_back({name, true});
  }
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const ReportTrial& trial = report.trials[i];
    std::vector<Json>& row = data.rows.emplace_back();
    row.emplace_back(i + 1);
    for (const std::string& value : trial.values) row.emplace_back(value);
    row.emplace_back(trial.status + (trial.abandoned ? ", abandoned" : "") +
                     (trial.throttled ? ", throttled" : ""));
    row.emplace_back(trial.reason);
    for (const double ns : {trial.time_ns, trial.low_ns, trial.high_ns}) {
      row.push_back(trial.measured() ? number(ns * 1e-3) : Json());
    }
    row.push_back(number(trial.registers));
    row.push_back(trial.registers > 0 ? Json(trial.spill_bytes) : Json());
    row.push_back(number(trial.compile_ms));
    row.push_back(trial.model ? number(trial.model->predicted_ns * 1e-3) : Json());
    row.push_back(trial.model ? number(100 * trial.model->occupancy) : Json());
    row.push_back(trial.model ? number(trial.model->ilp) : Json());
  }
  return data;
}

void add_charts(Page& page, const TrialReport& report, const std::string& data) {
  page.subheading("Charts");
  for (const Chart& chart : trial_charts(report)) {
    if (!chart.small) page.add(chart, data);
  }
  const std::vector<Chart> parameters = parameter_charts(report);
  if (parameters.empty()) return;
  page.subheading("Time by parameter");
  page.paragraph(
      "The middle half of the times with each value, their median, their range; the dot is the "
      "best that was found with it.");
  page.add_small(parameters, data);
}

void add_environment(Page& page, const TrialReport& report) {
  page.subheading("Environment");
  PageTable table{report.id + "-environment",
                  "Where and with what this was measured",
                  {{"what"}, {"value"}},
                  {}};
  for (const auto& [what, value] : report.environment) table.rows.push_back({what, value});
  page.add(table);
}

}  // namespace

std::optional<std::size_t> fastest(const std::vector<ReportTrial>& trials) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].measured() || trials[i].abandoned) continue;
    if (!best || trials[i].time_ns < trials[*best].time_ns) best = i;
  }
  return best;
}

void add_to(Page& page, const TrialReport& report) {
  page.heading(fmt::format("{} {}", report.kernel, report.problem));
  page.paragraph(fmt::format("on {}, {} cache; from {}", report.device, report.cache, report.file));
  add_facts(page, report);
  for (const std::string& note : report.notes) page.note(note);
  const PageData trials = trials_of(report);
  add_winner(page, report);
  add_charts(page, report, trials.id);
  page.subheading("Trials");
  page.add(trials);
  add_environment(page, report);
}

}  // namespace tuner
