#include "tuner/cli/calibrate_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/os/paths.h"
#include "tuner/report/table.h"
#include "tuner/store/result.h"

namespace tuner {
namespace {

std::string note_of(const models::Figure& figure) {
  std::string note = figure.refusal.empty() ? "" : "not used: " + figure.refusal;
  if (figure.refusal.empty() && !figure.rate) note = "for information";
  if (!figure.note.empty()) note += (note.empty() ? "" : "; ") + figure.note;
  return note;
}

std::string number(double value) { return value == 0 ? "-" : four_digits(value); }

nlohmann::ordered_json figure_json(const models::Figure& figure) {
  nlohmann::ordered_json json = {{"value", figure.value},
                                 {"unit", figure.unit},
                                 {"residual", figure.residual},
                                 {"points", figure.points}};
  if (!figure.refusal.empty()) json["refusal"] = figure.refusal;
  if (!figure.note.empty()) json["note"] = figure.note;
  return json;
}

}  // namespace

bool any_used(const models::Calibration& calibration) {
  return std::ranges::any_of(calibration.figures, &models::Figure::used);
}

std::string calibration_text(const CalibrationRun& run, bool bold_heading) {
  Table table({{"figure"},
               {"measured", Align::right},
               {"residual", Align::right},
               {"before", Align::right},
               {"unit"},
               {"note"}});
  for (const models::Figure& figure : run.calibration.figures) {
    table.add({figure.name, number(figure.value),
               figure.residual > 0 ? fmt::format("{:.1f} %", 100 * figure.residual) : "-",
               figure.previous > 0 ? number(figure.previous) : "-", figure.unit, note_of(figure)});
  }
  return fmt::format("{}: {} launches measured in {:.1f} s\n{}", run.calibration.profile.name,
                     run.times.points.size(), run.wall_s, table.render(bold_heading));
}

nlohmann::ordered_json calibration_json(const CalibrationRun& run, const std::string& file) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  for (const models::Figure& figure : run.calibration.figures) {
    nlohmann::ordered_json json = {{"name", figure.name}};
    json.update(figure_json(figure));
    json["previous"] = figure.previous;
    json["used"] = figure.used();
    figures.push_back(std::move(json));
  }
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const models::ProbePoint& point : run.times.points) {
    points.push_back({{"probe", models::to_string(point.probe)},
                      {"threads", point.threads},
                      {"blocks_per_sm", point.blocks_per_sm},
                      {"variant", point.variant},
                      {"amount", point.amount},
                      {"time_ns", point.time_ns}});
  }
  nlohmann::ordered_json json = {{"device", run.calibration.profile.name},
                                 {"driver", run.driver},
                                 {"wall_s", run.wall_s},
                                 {"throttled", run.times.throttled},
                                 {"failures", run.times.failures}};
  json["file"] = nullptr;
  if (!file.empty()) json["file"] = file;
  json["figures"] = std::move(figures);
  json["points"] = std::move(points);
  return json;
}

nlohmann::ordered_json calibrated_profile(const CalibrationRun& run) {
  nlohmann::ordered_json figures;
  for (const models::Figure& figure : run.calibration.figures) {
    figures[figure.name] = figure_json(figure);
  }
  nlohmann::ordered_json json = nlohmann::json(run.calibration.profile);
  json["calibration"] = {{"date", utc_now()},
                         {"driver", run.driver},
                         {"tool", tool_version()},
                         {"throttled", run.times.throttled},
                         {"figures", std::move(figures)}};
  return json;
}

}  // namespace tuner
