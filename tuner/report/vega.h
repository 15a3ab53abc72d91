// A chart as a Vega specification (https://vega.github.io/vega), for a page that shows it with
// pointers and tooltips. Written out in Vega itself: Debian has no Vega-Lite.
#pragma once

#include <nlohmann/json.hpp>

#include "tuner/report/chart.h"

namespace tuner {

// Colours come from the signal "palette", a list of kColors that the page sets; a mark's tooltip is
// its datum, [x, y, row].
nlohmann::ordered_json vega_spec(const Chart& chart);

}  // namespace tuner
