#include "tuner/report/text_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/report/escape.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

class Grid {
 public:
  Grid(const ChartPlan& plan, int columns, int rows)
      : plan_(plan),
        columns_(columns),
        rows_(static_cast<std::size_t>(rows), std::vector<std::string>(columns, " ")) {}

  void put(double x, double y, const std::string& mark, bool over) {
    const double across = plan_.x.at(x), up = plan_.y.at(y);
    if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1)) return;
    const auto last = static_cast<double>(rows_.size() - 1);
    const auto row = static_cast<std::size_t>(std::lround((1 - up) * last));
    const auto column = static_cast<std::size_t>(std::lround(across * (columns_ - 1)));
    std::string& cell = rows_[row][column];
    if (over || cell == " ") cell = mark;
  }

  void put_line(const std::vector<ChartPoint>& points) {
    for (std::size_t i = 1; i < points.size(); ++i) {
      for (int step = 0; step <= columns_; ++step) {
        const double part = static_cast<double>(step) / columns_;
        put(points[i - 1].x + part * (points[i].x - points[i - 1].x),
            points[i - 1].y + part * (points[i].y - points[i - 1].y), "·", false);
      }
    }
  }

  std::string line(std::size_t row) const {
    std::string text;
    for (const std::string& cell : rows_[row]) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  // Of the tick nearest to the row's middle, where one is within it.
  std::string label(std::size_t row) const {
    const auto last = static_cast<double>(rows_.size() - 1);
    for (const Tick& tick : plan_.y.ticks) {
      if (std::lround((1 - plan_.y.at(tick.value)) * last) == static_cast<long>(row)) {
        return tick.label;
      }
    }
    return "";
  }

 private:
  const ChartPlan& plan_;
  int columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string x_labels(const AxisPlan& axis, int columns) {
  std::string text(static_cast<std::size_t>(columns) + 12, ' ');
  std::size_t free = 0;
  for (const Tick& tick : axis.ticks) {
    const auto at = static_cast<std::size_t>(std::lround(axis.at(tick.value) * (columns - 1)));
    if (at < free || at + tick.label.size() > text.size()) continue;
    text.replace(at, tick.label.size(), tick.label);
    free = at + tick.label.size() + 1;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::string text_plot(const Chart& chart, int columns, int rows) {
  const ChartPlan planned = plan(chart);
  Grid grid(planned, columns, rows);
  std::string legend;
  char letter = 'a';
  for (const Series& series : chart.series) {
    if (series.mark == Mark::line) {
      grid.put_line(series.points);
      continue;
    }
    const std::string mark(1, letter++);
    for (const ChartPoint& point : series.points) grid.put(point.x, point.y, mark, true);
    if (!series.name.empty()) legend += fmt::format("  {} {}", mark, terminal_safe(series.name));
  }
  std::string text = terminal_safe(chart.y.title) + '\n';
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    text += fmt::format("{:>7} │{}\n", grid.label(row), grid.line(row));
  }
  std::string axis;
  for (int i = 0; i < columns; ++i) axis += "─";
  return text + fmt::format("{:7} └{}\n{:9}{}\n{:9}{}\n{:7}{}\n", "", axis, "",
                            x_labels(planned.x, columns), "", terminal_safe(chart.x.title), "",
                            legend);
}

}  // namespace tuner
