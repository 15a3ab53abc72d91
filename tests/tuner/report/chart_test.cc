#include "tuner/report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tuner/report/svg.h"
#include "tuner/report/vega.h"

namespace tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart points_chart(std::vector<ChartPoint> points, bool log = false) {
  Chart chart;
  chart.id = "test";
  chart.title = "title";
  chart.x = {"x", log, {}};
  chart.y = {"y", log, {}};
  chart.series.push_back({"series", Mark::points, 0, false, std::move(points)});
  return chart;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    ++found;
  }
  return found;
}

TEST(Ticks, StandAtRoundNumbers) {
  EXPECT_THAT(linear_ticks(0, 100, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(linear_ticks(-3, 7, 5), ElementsAre(-2, 0, 2, 4, 6));
  EXPECT_THAT(log_ticks(1, 10), ElementsAre(1, 2, 5, 10));
  EXPECT_EQ(log_ticks(1, 1e6).size(), 7U);
  EXPECT_GE(log_ticks(100, 120).size(), 3U);
}

TEST(TickLabel, IsShort) {
  EXPECT_EQ(tick_label(0), "0");
  EXPECT_EQ(tick_label(0.25), "0.25");
  EXPECT_EQ(tick_label(2000), "2000");
  EXPECT_EQ(tick_label(12500), "12.5k");
  EXPECT_EQ(tick_label(4e9), "4G");
}

TEST(Shortened, CutsWholeCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("éé", 2), "éé");
  EXPECT_EQ(shortened("ééé", 2), "é…");
}

TEST(Plan, LogarithmsHavePlaceForPositiveNumbersOnly) {
  const ChartPlan planned = plan(points_chart({{1, 1}, {100, 10}, {0, 5}, {-1, 1}}, true));
  EXPECT_GT(planned.x.low, 0);
  EXPECT_NEAR(planned.x.at(10), 0.5, 0.01);
  EXPECT_FALSE(is_shown(planned, {0, 5}));
  EXPECT_FALSE(is_shown(planned, {std::numeric_limits<double>::quiet_NaN(), 5}));
}

TEST(Plan, OfOnePointOrNoneHasARange) {
  for (const bool log : {false, true}) {
    for (const auto& points : {std::vector<ChartPoint>{}, std::vector<ChartPoint>{{3, 3}}}) {
      const ChartPlan planned = plan(points_chart(points, log));
      EXPECT_LT(planned.x.low, planned.x.high);
      EXPECT_FALSE(planned.y.ticks.empty());
    }
  }
}

TEST(Svg, DrawsPointsThatCoverEachOtherOnce) {
  std::vector<ChartPoint> points;
  for (int i = 0; i < 20000; ++i) points.push_back({1.0 + i % 10, 1.0 + i % 10, i});
  EXPECT_EQ(count(svg(points_chart(points)), "<circle cx"), 10U);
}

TEST(Svg, HoldsHostileNamesAsText) {
  Chart chart = points_chart({{1, 1}});
  chart.title = chart.x.title = chart.series[0].name = "</svg><script>alert(\"1\")</script>\n'";
  chart.y.categories = {"'\"><img src=x>"};
  for (const std::string& text : {svg(chart), svg_file(chart)}) {
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_THAT(text, Not(HasSubstr("<img")));
    EXPECT_EQ(count(text, "</svg>"), 1U);
  }
}

TEST(VegaSpec, HasTheSamePointsAndTicks) {
  const Chart chart = points_chart({{1, 2, 7}, {0, 1, 8}}, true);
  const nlohmann::ordered_json spec = vega_spec(chart);
  EXPECT_EQ(spec["data"][0]["values"].dump(), "[[1.0,2.0,7]]") << "zero has no logarithm";
  EXPECT_EQ(spec["axes"][0]["values"].size(), plan(chart).x.ticks.size());
  EXPECT_EQ(spec["scales"][0]["type"], "log");
}

// Labels are texts within an expression there.
TEST(VegaSpec, QuotesHostileCategories) {
  Chart chart = points_chart({});
  chart.y.categories = {"a\"]; alert('1'); [\"\u2028"};
  const std::string words =
      vega_spec(chart)["axes"][1]["encode"]["labels"]["update"]["text"]["signal"];
  EXPECT_THAT(words, HasSubstr(R"(["a\"]; alert('1'); [\"\u2028"])"));
}

}  // namespace
}  // namespace tuner
