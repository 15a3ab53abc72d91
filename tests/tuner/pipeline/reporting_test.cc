#include "tuner/pipeline/reporting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "tests/tuner/compile/temporary_folder.h"
#include "tests/tuner/pipeline/modelled_journal.h"
#include "tuner/os/paths.h"
#include "tuner/report/trial_charts.h"
#include "tuner/report/vega_library.h"
#include "tuner/store/recording.h"

namespace tuner {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Given = std::vector<std::pair<std::string, std::string>>;

models::DeviceProfile h200() {
  return models::load_device_profile(data_folder() / "configs/devices/h200.json");
}

Kernel kernel_of(const std::string& name, const Given& given) {
  KernelDescription description = find_kernel(name);
  Problem problem = resolve_problem(description, given);
  return Kernel(std::move(description), std::move(problem), h200());
}

ReportOptions options() {
  ReportOptions options;
  options.devices = {h200()};
  return options;
}

class ReportingTest : public testing::Test {
 protected:
  TrialReport report_of(const std::string& kernel, const Given& given, std::size_t count) {
    write_modelled_journal(folder_ / "run.jsonl", kernel_of(kernel, given), count);
    TrialReport report = trial_report(folder_ / "run.jsonl", options());
    report.id = "f1";
    return report;
  }
  const TemporaryFolder folder_;
};

TEST_F(ReportingTest, OfAJournalHasEveryTrialTheWinnerAndTheModel) {
  const TrialReport report = report_of("matmul", {{"n", "1024"}}, 300);
  EXPECT_EQ(report.trials.size(), 300U);
  EXPECT_EQ(report.useful_flops, 2.0 * 1024 * 1024 * 1024);
  EXPECT_THAT(report.notes, IsEmpty());
  ASSERT_TRUE(report.winner.has_value());
  for (const ReportTrial& trial : report.trials) {
    ASSERT_TRUE(trial.model.has_value());
    if (trial.measured() && !trial.abandoned) {
      EXPECT_GE(trial.time_ns, report.trials[*report.winner].time_ns);
    }
  }
  ASSERT_TRUE(report.explained.has_value());
  EXPECT_FALSE(report.explained->estimate.words.empty());
}

TEST_F(ReportingTest, HasEveryChart) {
  std::vector<std::string> ids;
  for (const Chart& chart : trial_charts(report_of("matmul", {{"n", "1024"}}, 300))) {
    if (!chart.small) ids.push_back(chart.id);
  }
  EXPECT_THAT(ids,
              ElementsAre("f1-roofline", "f1-progress", "f1-occupancy", "f1-model", "f1-failures"));
}

// A copy has no FLOPs, so its roof is the bandwidth; no trial that the model timed is above it.
TEST_F(ReportingTest, TheRoofOfACopyIsItsBandwidth) {
  const TrialReport report = report_of("copy", {{"n", "2^26"}}, 200);
  const Chart chart = roofline_chart(report);
  EXPECT_THAT(chart.y.title, HasSubstr("GB/s"));
  ASSERT_FALSE(chart.empty());
  EXPECT_EQ(chart.series[0].points.back().y, h200().dram_gbps);
}

TEST_F(ReportingTest, TheLastRecordOfAConfigurationCounts) {
  const Kernel kernel = kernel_of("copy", {{"n", "2^20"}});
  {
    JournalWriter writer(folder_ / "run.jsonl", modelled_header(kernel));
    JournalTrial trial;
    trial.config = values_of(kernel.space(), kernel.space().default_config());
    trial.time_ns = 5000;
    writer.finished(trial);
    trial.time_ns = 4000;
    writer.finished(trial);
    writer.started(values_of(kernel.space(), kernel.space().materialize(2).back()));
  }
  const TrialReport report = trial_report(folder_ / "run.jsonl", options());
  ASSERT_EQ(report.trials.size(), 2U);
  EXPECT_EQ(report.trials[0].time_ns, 4000);
  EXPECT_EQ(report.trials[1].status, "crash") << "started and never finished";
}

TEST_F(ReportingTest, AnUnknownKernelOrDeviceCostsThePredictionsAlone) {
  JournalHeader header = modelled_header(kernel_of("copy", {{"n", "2^20"}}));
  header.kernel = "nobody";
  header.device = "GPU of tomorrow";
  {
    JournalWriter writer(folder_ / "run.jsonl", header);
    JournalTrial trial;
    trial.config = {{"block", std::int64_t{64}}};
    trial.time_ns = 5000;
    writer.finished(trial);
  }
  const TrialReport report = trial_report(folder_ / "run.jsonl", options());
  EXPECT_EQ(report.winner, 0U);
  EXPECT_FALSE(report.trials[0].model.has_value());
  EXPECT_THAT(report.notes, Contains(HasSubstr("--kernel")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("--device")));
}

TEST_F(ReportingTest, AKernelThatWasAskedForMustFit) {
  write_modelled_journal(folder_ / "run.jsonl", kernel_of("copy", {{"n", "2^20"}}), 5);
  ReportOptions asked = options();
  asked.kernel = "nobody";
  EXPECT_THROW(trial_report(folder_ / "run.jsonl", asked), TunerError);
}

TEST_F(ReportingTest, OfARecordingHasItsOwnDevice) {
  const Kernel kernel = kernel_of("copy", {{"n", "2^20"}});
  Recording recording;
  recording.kernel = "copy";
  recording.problem = kernel.problem().axes;
  recording.cache = "cold";
  recording.device = h200();
  recording.driver = "580.65.06";
  for (const search::Parameter& parameter : kernel.space().parameters()) {
    recording.parameters.push_back({parameter.name, parameter.values});
  }
  RecordedTrial trial;
  for (const auto& [name, value] : values_of(kernel.space(), kernel.space().default_config())) {
    trial.values.push_back(value);
  }
  trial.time_ns = 7000;
  trial.registers = 16;
  recording.trials = {trial};
  save_recording(folder_ / "copy.json.gz", recording);
  const TrialReport report = trial_report(folder_ / "copy.json.gz", {});
  EXPECT_TRUE(report.trials[0].model.has_value());
  EXPECT_THAT(report.environment, Contains(testing::Pair("driver", "580.65.06")));
}

// saxpy with enough block sizes and item counts.
std::filesystem::path large_kernel(const TemporaryFolder& folder) {
  auto json =
      nlohmann::ordered_json::parse(read_file(data_folder() / "examples/saxpy/kernel.json"));
  json["parameters"][0] = {{"name", "block"}, {"range", {{"from", 32}, {"to", 1024}, {"step", 1}}}};
  json["parameters"][1] = {{"name", "items"}, {"range", {{"from", 1}, {"to", 21}, {"step", 1}}}};
  folder.write("saxpy.cu", read_file(data_folder() / "examples/saxpy/saxpy.cu"));
  return folder.write("kernel.json", json.dump());
}

TEST_F(ReportingTest, TwentyThousandTrialsStayUsable) {
  constexpr std::size_t kTrials = 20000;
  const std::string kernel = large_kernel(folder_).string();
  write_modelled_journal(folder_ / "run.jsonl", kernel_of(kernel, {}), kTrials);
  ReportOptions large = options();
  large.kernel = kernel;
  const std::clock_t begin = std::clock();
  TrialReport report = trial_report(folder_ / "run.jsonl", large);
  report.id = "f1";
  Page page("title");
  add_to(page, report);
  const std::string html = page.html(vega_script());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(report.trials.size(), kTrials);
  EXPECT_LT(html.size(), 10'000'000U);
  RecordProperty("bytes", std::to_string(html.size()));
  RecordProperty("seconds", std::to_string(seconds));
#ifdef NDEBUG
  constexpr double kLimit = 3;  // of all cores together, so that a loaded machine does not matter
#else
  constexpr double kLimit = 60;  // sanitizers
#endif
  EXPECT_LT(seconds, kLimit);
}

}  // namespace
}  // namespace tuner
