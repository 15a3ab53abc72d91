// What a report shows of a tuned result: its winners, problem by problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/report/chart.h"
#include "tuner/report/page.h"

namespace tuner {

struct ResultRow {
  std::string problem, cache, device, config;
  double time_ns = 0, low_ns = 0, high_ns = 0;
  double default_ns = 0;        // 0: the default is not valid there, or failed
  double gflops = 0, gbps = 0;  // 0: the kernel describes no such work
  double error = 0;             // over its tolerance
  double predicted_ns = 0;      // 0: the model was not asked
  std::size_t ties = 0;
  std::int64_t trials = 0;
  std::string words;  // the model's
  std::string made_with, date;
};

struct ResultReport {
  std::string id;  // letters and digits: begins the ids of charts and tables
  std::string file, kernel;
  std::vector<ResultRow> rows;
  std::vector<std::string> notes;
};

// How many times as fast as the default each winner is.
Chart speedup_chart(const ResultReport& report);

void add_to(Page& page, const ResultReport& report);

}  // namespace tuner
