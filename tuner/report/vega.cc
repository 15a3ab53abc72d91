#include "tuner/report/vega.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// More than a pixel shows.
constexpr int kDigits = 5;
double rounded(double value) { return tuner::rounded(value, kDigits); }

Json color(int index) { return {{"signal", fmt::format("palette[{}]", index)}}; }

Json data_of(const Chart& chart, const ChartPlan& plan) {
  Json data = Json::array();
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    Json values = Json::array();
    for (const ChartPoint& point : chart.series[i].points) {
      if (!is_shown(plan, point)) continue;
      values.push_back({rounded(point.x), rounded(point.y), point.row});
    }
    data.push_back({{"name", fmt::format("s{}", i)}, {"values", std::move(values)}});
  }
  Json boxes = Json::array();
  for (std::size_t i = 0; i < chart.boxes.size(); ++i) {
    const ChartBox& box = chart.boxes[i];
    if (!(box.median > 0)) continue;
    boxes.push_back({i, rounded(box.low), rounded(box.quartile1), rounded(box.median),
                     rounded(box.quartile3), rounded(box.high)});
  }
  if (!boxes.empty()) data.push_back({{"name", "boxes"}, {"values", std::move(boxes)}});
  return data;
}

Json scale_of(const char* name, const AxisPlan& axis) {
  const bool downwards = axis.band && std::string_view(name) == "y";
  Json scale = {{"name", name},
                {"type", axis.log ? "log" : "linear"},
                {"domain", {axis.low, axis.high}},
                {"range", std::string_view(name) == "x" ? "width" : "height"},
                {"zero", false},
                {"nice", false}};
  if (downwards) scale["reverse"] = true;
  return scale;
}

Json axis_of(const char* name, const char* orient, const AxisPlan& plan, const ChartAxis& axis) {
  Json values = Json::array(), labels = Json::array();
  for (const Tick& tick : plan.ticks) {
    values.push_back(tick.value);
    labels.push_back(tick.label);
  }
  // By value, since Vega leaves out ticks that do not fit.
  const std::string words =
      fmt::format("{}[indexof({}, datum.value)]", labels.dump(-1, ' ', true), values.dump());
  return {{"scale", name},
          {"orient", orient},
          {"title", axis.title},
          {"values", values},
          {"grid", !plan.band},
          {"ticks", false},
          {"labelPadding", 6},
          {"labelOverlap", true},
          {"labelLimit", 300},
          {"encode", {{"labels", {{"update", {{"text", {{"signal", words}}}}}}}}}};
}

Json at(const char* scale, const char* field, double offset = 0) {
  Json value = {{"scale", scale}, {"field", field}};
  if (offset != 0) value["offset"] = offset;
  return value;
}

Json points_mark(const Series& series, const std::string& data) {
  return {{"type", "symbol"},
          {"from", {{"data", data}}},
          {"clip", true},
          {"encode",
           {{"enter",
             {{"x", at("x", "0")},
              {"y", at("y", "1")},
              {"size", {{"value", series.large ? 110 : 28}}},
              {"fill", color(series.color)},
              {"fillOpacity", {{"value", 0.7}}},
              {"tooltip", {{"signal", "datum"}}}}},
            {"update", {{"stroke", {{"value", nullptr}}}, {"zindex", {{"value", 0}}}}},
            {"hover",
             {{"stroke", {{"signal", "ink"}}},
              {"strokeWidth", {{"value", 2}}},
              {"zindex", {{"value", 1}}}}}}}};
}

Json line_mark(const Series& series, const std::string& data) {
  Json enter = {{"x", at("x", "0")},
                {"y", at("y", "1")},
                {"stroke", color(series.color)},
                {"strokeWidth", {{"value", 2}}}};
  if (series.dashed) enter["strokeDash"] = {{"value", {6, 4}}};
  return {{"type", "line"},
          {"from", {{"data", data}}},
          {"clip", true},
          {"interactive", false},
          {"encode", {{"enter", enter}}}};
}

Json bars_marks(const Series& series, const std::string& data) {
  const Json bar = {{"type", "rect"},
                    {"from", {{"data", data}}},
                    {"encode",
                     {{"enter",
                       {{"x", {{"scale", "x"}, {"signal", "domain('x')[0]"}}},
                        {"x2", at("x", "0")},
                        {"yc", at("y", "1")},
                        {"height", {{"value", 16}}},
                        {"fill", color(series.color)},
                        {"fillOpacity", {{"value", 0.75}}}}}}}};
  const Json number = {{"type", "text"},
                       {"from", {{"data", data}}},
                       {"encode",
                        {{"enter",
                          {{"x", at("x", "0", 5)},
                           {"y", at("y", "1")},
                           {"baseline", {{"value", "middle"}}},
                           {"fill", {{"signal", "ink"}}},
                           {"text", {{"signal", "format(datum[0], ',.5~r')"}}}}}}}};
  return {bar, number};
}

Json box_marks(double half) {
  const auto rule = [](Json enter) {
    return Json{{"type", "rule"}, {"from", {{"data", "boxes"}}}, {"encode", {{"enter", enter}}}};
  };
  const Json left = at("x", "0", -half), right = at("x", "0", half);
  const Json whisker = rule({{"x", at("x", "0")},
                             {"y", at("y", "1")},
                             {"y2", at("y", "5")},
                             {"stroke", {{"signal", "ink"}}},
                             {"strokeOpacity", {{"value", 0.6}}}});
  const Json box = {{"type", "rect"},
                    {"from", {{"data", "boxes"}}},
                    {"encode",
                     {{"enter",
                       {{"x", left},
                        {"x2", right},
                        {"y", at("y", "2")},
                        {"y2", at("y", "4")},
                        {"fill", color(0)},
                        {"fillOpacity", {{"value", 0.75}}}}}}}};
  const Json median = rule({{"x", left},
                            {"x2", right},
                            {"y", at("y", "3")},
                            {"stroke", {{"signal", "ink"}}},
                            {"strokeWidth", {{"value", 2}}}});
  const Json best = {{"type", "symbol"},
                     {"from", {{"data", "boxes"}}},
                     {"encode",
                      {{"enter",
                        {{"x", at("x", "0")},
                         {"y", at("y", "1")},
                         {"size", {{"value", 45}}},
                         {"fill", color(1)}}}}}};
  return {whisker, box, median, best};
}

Json marks_of(const Chart& chart, double width) {
  Json marks = Json::array();
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    const std::string data = fmt::format("s{}", i);
    switch (series.mark) {
      case Mark::points:
        marks.push_back(points_mark(series, data));
        break;
      case Mark::line:
        marks.push_back(line_mark(series, data));
        break;
      case Mark::bars:
        for (Json& mark : bars_marks(series, data)) marks.push_back(std::move(mark));
        break;
    }
  }
  if (!chart.boxes.empty()) {
    const double step = width / static_cast<double>(chart.boxes.size());
    for (Json& mark : box_marks(std::min(18.0, 0.32 * step))) marks.push_back(std::move(mark));
  }
  return marks;
}

// Named series alone; the scale is from names to places in the palette.
void add_legend(const Chart& chart, Json& spec) {
  Json names = Json::array(), colors = Json::array();
  for (const Series& series : chart.series) {
    if (series.name.empty()) continue;
    names.push_back(series.name);
    colors.push_back(fmt::format("palette[{}]", series.color));
  }
  if (names.empty()) return;
  std::string range;
  for (const auto& one : colors) range += (range.empty() ? "" : ",") + one.get<std::string>();
  spec["scales"].push_back({{"name", "color"},
                            {"type", "ordinal"},
                            {"domain", names},
                            {"range", {{"signal", "[" + range + "]"}}}});
  spec["legends"] = Json::array();
  spec["legends"].push_back({{"fill", "color"},
                             {"orient", "top"},
                             {"direction", "horizontal"},
                             {"columns", 6},
                             {"labelLimit", 300},
                             {"columnPadding", 18},
                             {"symbolType", "circle"}});
}

}  // namespace

Json vega_spec(const Chart& chart) {
  const ChartPlan plan = tuner::plan(chart);
  const double width = chart.small ? 250 : plan.y.band ? 640 : 920;
  const double height =
      plan.y.band ? 24.0 * static_cast<double>(std::max<std::size_t>(plan.y.ticks.size(), 1))
                  : (chart.small ? 150 : 320);
  Json spec = {
      {"$schema", "https://vega.github.io/schema/vega/v5.json"},
      {"description", chart.title},
      {"width", width},
      {"height", height},
      {"padding", 5},
      {"autosize", {{"type", "pad"}}},
      {"signals",
       {{{"name", "palette"}, {"value", Json::array()}}, {{"name", "ink"}, {"value", "black"}}}},
      {"data", data_of(chart, plan)},
      {"scales", {scale_of("x", plan.x), scale_of("y", plan.y)}},
      {"axes", {axis_of("x", "bottom", plan.x, chart.x), axis_of("y", "left", plan.y, chart.y)}},
      {"marks", marks_of(chart, width)}};
  add_legend(chart, spec);
  return spec;
}

}  // namespace tuner
