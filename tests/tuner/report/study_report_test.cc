#include "tuner/report/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/report/table_text.h"
#include "tuner/report/text_plot.h"

namespace tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

StudyPoint point(double ilp, double occupancy, double predicted_ns, double time_ns = 0) {
  StudyPoint point;
  point.ilp = ilp;
  point.occupancy = occupancy;
  point.warps_per_sm = static_cast<int>(64 * occupancy);
  point.predicted_ns = predicted_ns;
  point.time_ns = time_ns;
  point.little_warps = 64 / ilp;
  return point;
}

// With one chain all warps are needed, with four a quarter of them; measured, half.
Study study_of() {
  Study study;
  study.kernel = "k";
  study.device = "d";
  study.unit = "GB/s";
  study.work = 1000;
  study.roof = 10;
  study.points = {point(1, 0.25, 400, 420), point(1, 0.5, 200, 210), point(1, 1, 100, 105),
                  point(4, 0.25, 104, 200), point(4, 0.5, 100, 101), point(4, 1, 100, 100)};
  return study;
}

TEST(Summarize, FindsTheSmallestOccupancyThatIsEnough) {
  const StudySummary predicted = summarize(study_of(), false);
  ASSERT_EQ(predicted.needs.size(), 2U);
  EXPECT_EQ(predicted.peak, 10);
  EXPECT_EQ(predicted.needs[0].enough, 1.0);
  EXPECT_EQ(predicted.needs[1].enough, 0.25);
  const StudySummary measured = summarize(study_of(), true);
  EXPECT_EQ(measured.needs[0].enough, 1.0) << "105 is within 5 % of 100";
  EXPECT_EQ(measured.needs[1].enough, 0.5);
}

TEST(Summarize, SaysWhatIsReachedWhereNothingIsEnough) {
  Study study = study_of();
  study.points.erase(study.points.begin() + 2);
  const StudyNeed need = summarize(study, false).needs[0];
  EXPECT_FALSE(need.enough.has_value());
  EXPECT_EQ(need.best, 0.5);
}

TEST(Summarize, LittlesLawAsksForLatencyTimesRoof) {
  const StudySummary summary = summarize(study_of(), false);
  EXPECT_EQ(summary.needs[0].little, 1.0);
  EXPECT_EQ(summary.needs[1].little, 0.25);
}

TEST(Summarize, OfNothingMeasuredIsEmpty) {
  Study study = study_of();
  for (StudyPoint& one : study.points) one.time_ns = 0;
  EXPECT_TRUE(summarize(study, true).needs.empty());
}

TEST(SpillLimits, AreTheMostRegistersThatSpill) {
  Study study = study_of();
  for (const auto& [registers, spilled] : {std::pair{32, 64}, {40, 8}, {64, 0}}) {
    StudyPoint one = point(4, 0.5, 100);
    one.registers = registers;
    one.spill_bytes = spilled;
    study.points.push_back(one);
  }
  const auto limits = spill_limits(study);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].ilp, 4);
  EXPECT_EQ(limits[0].spills_at, 40);
}

TEST(StudyText, SaysWhatWasMeasured) {
  EXPECT_THAT(study_text(study_of(), false), HasSubstr("measured and predicted"));
  Study study = study_of();
  for (StudyPoint& one : study.points) one.time_ns = 0;
  EXPECT_THAT(study_text(study, false), HasSubstr("PREDICTED; nothing was measured"));
  EXPECT_THAT(study_text(study, false), Not(HasSubstr("measured and predicted")));
}

TEST(StudyChart, HasACurveAndPointsForEachIlpAndLittlesLaw) {
  const Chart chart = study_chart(study_of());
  EXPECT_EQ(chart.series.size(), 6U);
  EXPECT_EQ(chart.series[1].name, "ILP 1");
  EXPECT_EQ(chart.series[5].points.size(), 3U) << "a knee at a quarter";
}

StudyPoint width_point(double load_bytes, double in_flight, double predicted_ns,
                       double time_ns = 0) {
  StudyPoint one = point(1, 1, predicted_ns, time_ns);
  one.knob = Knob::vector_width;
  one.load_bytes = load_bytes;
  one.in_flight = in_flight;
  one.needed_in_flight = 16 * 1024;
  return one;
}

Study study_of_widths() {
  Study study = study_of();
  study.width_points = {width_point(4, 4096, 400, 410), width_point(4, 8192, 200, 205),
                        width_point(16, 16384, 104, 130), width_point(16, 32768, 100, 101)};
  return study;
}

TEST(WidthNeeds, AreTheFewestBytesInFlightThatAreEnough) {
  const auto predicted = width_needs(study_of_widths(), false);
  ASSERT_EQ(predicted.size(), 2U);
  EXPECT_FALSE(predicted[0].enough.has_value());
  EXPECT_EQ(predicted[0].best, 0.5);
  EXPECT_EQ(predicted[1].enough, 16384);
  EXPECT_EQ(width_needs(study_of_widths(), true)[1].enough, 32768);
  EXPECT_TRUE(width_needs(study_of(), false).empty());
}

TEST(WidthChart, HasACurveForEachWidthAndLittlesLaw) {
  const Chart chart = width_chart(study_of_widths());
  ASSERT_EQ(chart.series.size(), 7U) << "predicted, measured, its points, for each; the law";
  EXPECT_EQ(chart.series[2].name, "4-byte loads");
  EXPECT_EQ(chart.series[6].points[1].x, 16) << "the knee, in KB";
  EXPECT_EQ(chart.series[6].points[1].y, 10) << "the roof";
  EXPECT_TRUE(width_chart(study_of()).empty());
  EXPECT_THAT(study_text(study_of_widths(), false), HasSubstr("16 KB"));
  EXPECT_THAT(study_text(study_of_widths(), false), HasSubstr("never: 50 % at best"));
}

TEST(TextPlot, PutsHighPointsHigh) {
  Chart chart;
  chart.series.push_back({"rising", Mark::points, 0, false, {{0, 0}, {1, 1}}});
  const std::string plot = text_plot(chart, 10, 5);
  const std::size_t first = plot.find('a'), second = plot.find('a', first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_GT(first, plot.rfind("│", first));
  EXPECT_THAT(plot, HasSubstr("a rising"));
}

TEST(TableText, LeavesOutEmptyColumnsInTheTerminal) {
  const PageTable table{"id", "title", {{"a"}, {"b"}, {"c"}}, {{"1", "", "2"}, {"3", "", ""}}};
  EXPECT_EQ(terminal_text(table, false), "a  c\n1  2\n3\n");
}

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("unbreakable", 4), "unbreakable\n");
}

TEST(TableText, IsCsvAndMarkdown) {
  const PageTable table{"id", "a | title", {{"name"}, {"n", true}}, {{"x|y, \"z\"", "1"}}};
  EXPECT_EQ(csv_text(table), "name,n\r\n\"x|y, \"\"z\"\"\",1\r\n");
  EXPECT_EQ(markdown_text(table),
            "### a \\| title\n\n| name | n |\n| --- | ---: |\n| x\\|y, &quot;z&quot; | 1 |\n");
}

}  // namespace
}  // namespace tuner
