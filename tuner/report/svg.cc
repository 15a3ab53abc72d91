#include "tuner/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tuner/report/escape.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

constexpr double kCharacter = 6.6;  // width of one at 11 px, about
constexpr double kLegendLine = 18;

struct Frame {
  double width = 0, height = 0;
  double left = 0, top = 0, right = 0, bottom = 0;  // of the plot, from the upper left
};

struct Canvas {
  const Chart& chart;
  ChartPlan plan;
  Frame frame;
  double x(double value) const {
    return frame.left + plan.x.at(value) * (frame.right - frame.left);
  }
  // From the top for categories, so that they read downwards.
  double y(double value) const {
    const double at = plan.y.at(value), span = frame.bottom - frame.top;
    return plan.y.band ? frame.top + at * span : frame.bottom - at * span;
  }
};

struct LegendEntry {
  const Series* series = nullptr;
  double x = 0, y = 0;
};

std::vector<LegendEntry> legend(const Chart& chart, double width) {
  std::vector<LegendEntry> entries;
  double x = 0, y = 0;
  for (const Series& series : chart.series) {
    if (series.name.empty()) continue;
    const double needed = 26 + kCharacter * static_cast<double>(display_width(series.name));
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kLegendLine;
    }
    entries.push_back({&series, x, y});
    x += needed;
  }
  return entries;
}

double longest_label(const AxisPlan& axis) {
  std::size_t longest = 0;
  for (const Tick& tick : axis.ticks) longest = std::max(longest, display_width(tick.label));
  return kCharacter * static_cast<double>(longest);
}

Canvas canvas_of(const Chart& chart) {
  Canvas canvas{chart, plan(chart), {}};
  Frame& frame = canvas.frame;
  frame.width = chart.small ? 320 : 960;
  frame.height =
      canvas.plan.y.band
          ? 70 + 24 * static_cast<double>(std::max<std::size_t>(canvas.plan.y.ticks.size(), 1))
          : (chart.small ? 220 : 400);
  frame.left = 34 + longest_label(canvas.plan.y);
  frame.right = frame.width - 14;
  const auto entries = legend(chart, frame.right - frame.left);
  frame.top = entries.empty() ? 12 : 30 + entries.back().y;
  frame.bottom = frame.height - 46;
  return canvas;
}

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const char* more = "") {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor,
                     more, html_escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& classes) {
  return fmt::format("<line class='{}' x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}'/>\n",
                     classes, x1, y1, x2, y2);
}

std::string axes(const Canvas& canvas) {
  const Frame& f = canvas.frame;
  std::string out;
  for (const Tick& tick : canvas.plan.x.ticks) {
    const double x = canvas.x(tick.value);
    if (!canvas.plan.x.band) out += line(x, f.top, x, f.bottom, "grid");
    out += text(x, f.bottom + 16, "middle", tick.label);
  }
  for (const Tick& tick : canvas.plan.y.ticks) {
    const double y = canvas.y(tick.value);
    if (!canvas.plan.y.band) out += line(f.left, y, f.right, y, "grid");
    out += text(f.left - 7, y + 4, "end", tick.label);
  }
  out += line(f.left, f.bottom, f.right, f.bottom, "axis");
  out += line(f.left, f.top, f.left, f.bottom, "axis");
  out += text((f.left + f.right) / 2, f.bottom + 36, "middle", canvas.chart.x.title, " class='t'");
  if (!canvas.chart.y.title.empty()) {
    const double middle = (f.top + f.bottom) / 2;
    out += text(14, middle, "middle", canvas.chart.y.title,
                fmt::format(" class='t' transform='rotate(-90 14 {:.1f})'", middle).c_str());
  }
  return out;
}

// Cut to the plot, in the logarithms of logarithmic axes, where the lines are straight.
std::string polyline(const Canvas& canvas, const Series& series) {
  std::string points;
  for (const ChartPoint& point : series.points) {
    if (!is_shown(canvas.plan, point)) continue;
    points += fmt::format("{:.1f},{:.1f} ", canvas.x(point.x), canvas.y(point.y));
  }
  return fmt::format("<polyline class='l c{}{}' points='{}'/>\n", series.color,
                     series.dashed ? " dash" : "", points);
}

std::string circles(const Canvas& canvas, const Series& series) {
  std::string out = fmt::format("<g class='p c{}'>\n", series.color);
  std::set<std::pair<int, int>> drawn;
  for (const ChartPoint& point : series.points) {
    if (!is_shown(canvas.plan, point)) continue;
    const double x = canvas.x(point.x), y = canvas.y(point.y);
    const auto pixel =
        std::pair(static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y)));
    if (!drawn.insert(pixel).second) continue;
    out += fmt::format("<circle cx='{}' cy='{}' r='{}'/>\n", pixel.first, pixel.second,
                       series.large ? "5" : "2.5");
  }
  return out + "</g>\n";
}

std::string bars(const Canvas& canvas, const Series& series) {
  std::string out;
  for (const ChartPoint& point : series.points) {
    const double zero = canvas.x(canvas.plan.x.low), end = canvas.x(point.x);
    out += fmt::format("<rect class='b c{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='16'/>\n",
                       series.color, zero, canvas.y(point.y) - 8, std::max(0.0, end - zero));
    out += text(std::min(end + 4, canvas.frame.right - 20), canvas.y(point.y) + 4, "start",
                tick_label(point.x));
  }
  return out;
}

std::string boxes(const Canvas& canvas) {
  std::string out;
  const double step = canvas.x(1) - canvas.x(0);
  const double half = std::min(18.0, 0.32 * step);
  for (std::size_t i = 0; i < canvas.chart.boxes.size(); ++i) {
    const ChartBox& box = canvas.chart.boxes[i];
    if (!(box.median > 0)) continue;
    const double x = canvas.x(static_cast<double>(i));
    const double top = canvas.y(box.quartile3), bottom = canvas.y(box.quartile1);
    out += line(x, canvas.y(box.low), x, canvas.y(box.high), "whisker");
    out +=
        fmt::format("<rect class='b c0' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'/>\n",
                    x - half, top, 2 * half, std::max(1.0, bottom - top));
    out += line(x - half, canvas.y(box.median), x + half, canvas.y(box.median), "median");
    out += fmt::format("<circle class='best' cx='{:.1f}' cy='{:.1f}' r='3.5'/>\n", x,
                       canvas.y(box.low));
  }
  return out;
}

std::string marks(const Canvas& canvas) {
  std::string out;
  for (const Series& series : canvas.chart.series) {
    switch (series.mark) {
      case Mark::points:
        out += circles(canvas, series);
        break;
      case Mark::line:
        out += polyline(canvas, series);
        break;
      case Mark::bars:
        out += bars(canvas, series);
        break;
    }
  }
  return out + boxes(canvas);
}

std::string legend_text(const Canvas& canvas) {
  std::string out;
  for (const auto& [series, x, y] : legend(canvas.chart, canvas.frame.right - canvas.frame.left)) {
    const double left = canvas.frame.left + x, top = 14 + y;
    out += series->mark == Mark::line
               ? line(left, top - 4, left + 14, top - 4,
                      fmt::format("l c{}{}", series->color, series->dashed ? " dash" : ""))
               : fmt::format("<circle class='p c{}' cx='{:.1f}' cy='{:.1f}' r='4'/>\n",
                             series->color, left + 7, top - 4);
    out += text(left + 19, top, "start", series->name);
  }
  return out;
}

std::string drawn(const Canvas& canvas) {
  const std::string clip = "clip-" + canvas.chart.id;
  const Frame& f = canvas.frame;
  return fmt::format(
      "<clipPath id='{}'><rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'/></clipPath>\n"
      "{}<g clip-path='url(#{})'>\n{}</g>\n{}",
      clip, f.left, f.top - 4, f.right - f.left + 4, f.bottom - f.top + 8, axes(canvas), clip,
      marks(canvas), legend_text(canvas));
}

constexpr const char* kLight =
    "--bg:#fff;--panel:#f6f7f9;--ink:#1b1f24;--muted:#59636e;--grid:#e3e6ea;--line:#c9ced6;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b58900;--c5:#56b4e9;--c6:#7f7f7f;"
    "--c7:#8c510a;--c8:#440154;--c9:#46327e;--c10:#365c8d;--c11:#277f8e;--c12:#1fa187;"
    "--c13:#4ac16d;--c14:#9fba1f;--c15:#d9b300;";
constexpr const char* kDark =
    "--bg:#14171b;--panel:#1d2127;--ink:#e8eaed;--muted:#a3adb8;--grid:#2b313a;--line:#48515d;"
    "--c0:#58a6ff;--c1:#ff8f4a;--c2:#3fcf9b;--c3:#ea9ccb;--c4:#e3c04b;--c5:#8fd3ff;--c6:#9a9a9a;"
    "--c7:#d2a679;--c8:#b07cff;--c9:#8f8bff;--c10:#6fa8ff;--c11:#45c3d6;--c12:#35d0a0;"
    "--c13:#7fdc6a;--c14:#c6e04a;--c15:#ffe24a;";

std::string color_rules() {
  std::string rules;
  for (int i = 0; i < kColors; ++i) {
    rules += fmt::format(".p.c{0},.b.c{0}{{fill:var(--c{0})}}.l.c{0}{{stroke:var(--c{0})}}", i);
  }
  return rules + '\n';
}

}  // namespace

std::string chart_style() {
  return fmt::format(
             ":root{{color-scheme:light;{0}}}\n"
             "@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light])"
             "{{color-scheme:dark;{1}}}}}\n"
             "@media screen{{:root[data-theme=dark]{{color-scheme:dark;{1}}}}}\n",
             kLight, kDark) +
         ".chart text{font:11px system-ui,sans-serif;fill:var(--muted)}.chart "
         "text.t{fill:var(--ink)}\n"
         ".grid{stroke:var(--grid)}.axis{stroke:var(--line)}.l{fill:none;stroke-width:2}"
         ".dash{stroke-dasharray:6 4}.p{fill-opacity:.7}.b{fill-opacity:.75}\n"
         ".whisker{stroke:var(--muted)}.median{stroke:var(--ink);stroke-width:2}"
         ".best{fill:var(--c1)}\n" +
         color_rules();
}

std::string svg(const Chart& chart) {
  const Canvas canvas = canvas_of(chart);
  return fmt::format(
      "<svg class='chart' viewBox='0 0 {:.0f} {:.0f}' role='img' aria-label=\"{}\">\n{}</svg>\n",
      canvas.frame.width, canvas.frame.height, html_escaped(chart.title), drawn(canvas));
}

std::string svg_file(const Chart& chart) {
  const Canvas canvas = canvas_of(chart);
  constexpr double kHead = 30;
  const double width = canvas.frame.width, height = canvas.frame.height + kHead;
  return fmt::format(
      "<?xml version='1.0' encoding='UTF-8'?>\n"
      "<svg class='chart' xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' "
      "viewBox='0 0 {0:.0f} {1:.0f}'>\n<title>{2}</title>\n<desc>{3}</desc>\n"
      "<style>\n{4}</style>\n<rect width='100%' height='100%' style='fill:var(--bg)'/>\n"
      "<text class='t' x='14' y='20' style='font-size:14px;font-weight:600'>{2}</text>\n"
      "<g transform='translate(0 {5:.0f})'>\n{6}</g>\n</svg>\n",
      width, height, html_escaped(chart.title), html_escaped(chart.caption), chart_style(), kHead,
      drawn(canvas));
}

}  // namespace tuner
