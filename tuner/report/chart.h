// A chart as plain data, for two renderers: an SVG (tuner/report/svg.h) and a Vega specification
// (tuner/report/vega.h). Both take scales and ticks from plan(), so they show the same picture.
#pragma once

#include <string>
#include <vector>

namespace tuner {

enum class Mark { points, line, bars };

struct ChartPoint {
  double x = 0, y = 0;
  int row = -1;  // of the page's table of trials, for tooltips
};

// Colours 0 to 7 tell kinds apart, 8 to 15 go from low to high.
inline constexpr int kFirstOrderedColor = 8;
inline constexpr int kColors = 16;

struct Series {
  std::string name;  // for the legend; empty: not there
  Mark mark = Mark::points;
  int color = 0;
  bool dashed = false;
  std::vector<ChartPoint> points;
  bool large = false;  // points that must be found among many others
};

// Five numbers of a distribution over a category of the x axis.
struct ChartBox {
  double low = 0, quartile1 = 0, median = 0, quartile3 = 0, high = 0;
};

struct ChartAxis {
  std::string title;
  bool log = false;
  std::vector<std::string> categories;  // where there are any, positions are indices into them
  bool from_zero = false;
};

struct Chart {
  std::string id, title, caption;  // id: letters, digits, '-': also a file's name
  ChartAxis x, y;
  std::vector<Series> series;
  std::vector<ChartBox> boxes;  // one for each category of x, or none
  bool small = false;           // one of several beside each other
  bool empty() const;
};

struct Tick {
  double value = 0;
  std::string label;
};

struct AxisPlan {
  bool log = false, band = false;
  double low = 0, high = 1;  // of a band: -0.5 and n - 0.5
  std::vector<Tick> ticks;
  // Position in 0..1; may lie outside of it.
  double at(double value) const;
};

struct ChartPlan {
  AxisPlan x, y;
};
// Points that a logarithmic axis cannot show, and those that are not finite, count for nothing.
ChartPlan plan(const Chart& chart);
bool is_shown(const ChartPlan& plan, const ChartPoint& point);

// Ends near low and high at 1, 2 or 5 times a power of ten.
std::vector<double> linear_ticks(double low, double high, int about);
std::vector<double> log_ticks(double low, double high);

// "0.25", "12.5k": at most four digits.
std::string tick_label(double value);

// To so many significant digits, which keeps files with many numbers small.
double rounded(double value, int digits);

// At most `width` characters, the last an ellipsis where something was cut off.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace tuner
