// A chart in characters, for the terminal.
#pragma once

#include <string>

#include "tuner/report/chart.h"

namespace tuner {

// Points and lines; each named series has a letter, and lines beneath are dotted. `columns`,
// `rows`: of the plot alone, at least 2.
std::string text_plot(const Chart& chart, int columns = 64, int rows = 18);

}  // namespace tuner
