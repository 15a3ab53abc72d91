// A chart as SVG.
#pragma once

#include <string>

#include "tuner/report/chart.h"

namespace tuner {

// Rules of the classes that the SVGs use, with the palettes for light and for dark. The page holds
// them once, a file of its own holds them itself.
std::string chart_style();

// To stand in a page that has chart_style(). Points that would cover each other are drawn once, so
// that the size does not grow with their number.
std::string svg(const Chart& chart);

// A file of its own, with title and caption; follows the viewer's preference for dark or light.
std::string svg_file(const Chart& chart);

}  // namespace tuner
