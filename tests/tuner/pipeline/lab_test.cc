// What the model says of the classic experiments, against published figures.
#include "tuner/pipeline/lab.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tuner/os/paths.h"

namespace tuner {
namespace {

models::DeviceProfile device_of(const std::string& id) {
  return models::load_device_profile(data_folder() / "configs/devices" / (id + ".json"));
}

LabReport predicted(const std::string& name, const std::string& device) {
  const LabBench bench{device_of(device), nullptr, nullptr, nullptr};
  for (const Experiment& experiment : lab_experiments(bench.device)) {
    if (experiment.name == name) return run_experiment(experiment, bench);
  }
  throw std::out_of_range(name);
}

double rate(const LabReport& report, const std::string& label) {
  const auto row = std::ranges::find(report.rows, label, &LabRow::label);
  if (row == report.rows.end()) throw std::out_of_range(label);
  return row->work / row->predicted_ns;
}

TEST(Lab, EveryCaseIsAConfigurationOfItsKernel) {
  for (const char* device : {"h200", "t4"}) {
    const LabBench bench{device_of(device), nullptr, nullptr, nullptr};
    for (const Experiment& experiment : lab_experiments(bench.device)) {
      const LabReport report = run_experiment(experiment, bench);
      EXPECT_FALSE(report.why.empty());
      for (const LabRow& row : report.rows) {
        EXPECT_TRUE(row.predicted_ns > 0 && std::isfinite(row.predicted_ns))
            << device << " " << experiment.name << " " << row.label << ": " << row.failure;
      }
      if (!report.baseline.empty()) {
        EXPECT_GT(rate(report, report.baseline), 0) << experiment.name;
      }
    }
  }
}

// A T4's measured strides 1 to 32: 244, 172, 108, 60, 30, 27 GB/s of 320.
TEST(Lab, StridesOnAT4HaveThePublishedShape) {
  const LabReport report = predicted("coalescing", "t4");
  // 0.69 as it stands: the instructions of the division weigh more in the model than on the GPU.
  EXPECT_NEAR(rate(report, "stride 1") / 320, 0.76, 0.09);
  for (const auto& [stride, gbps] : {std::pair{2, 172}, {4, 108}, {8, 60}, {16, 30}, {32, 27}}) {
    EXPECT_NEAR(rate(report, "stride " + std::to_string(stride)), gbps, 0.25 * gbps) << stride;
  }
  EXPECT_NEAR(rate(report, "stride 1") / rate(report, "stride 32"), 9, 2);
}

// 0.58 ms along rows, 2.05 to 2.41 down columns.
TEST(Lab, AColumnWalkOnAT4TakesTwoToFourTimesAsLong) {
  const LabReport report = predicted("rows-cols", "t4");
  const double ratio = rate(report, "rows 32x8") / rate(report, "columns 32x8");
  EXPECT_GT(ratio, 2);
  EXPECT_LT(ratio, 5);
  EXPECT_LT(rate(report, "rows 32x8") / rate(report, "columns 8x32"), ratio);
}

// 184 GB/s with 32 threads, 242 to 244 with 64 and more.
TEST(Lab, BlocksOfOneWarpAreSlowOnAT4AndOthersAlike) {
  const LabReport report = predicted("block-sweep", "t4");
  EXPECT_LT(rate(report, "32 threads"), 0.9 * rate(report, "64 threads"));
  for (const char* threads : {"64 threads", "128 threads", "512 threads", "1024 threads"}) {
    EXPECT_NEAR(rate(report, threads), rate(report, "256 threads"),
                0.05 * rate(report, "256 threads"))
        << threads;
  }
}

// NVIDIA's figures for 256 threads: 4, 4, 4, 2 and 1 blocks with 0, 8, 16, 32 and 48 KB.
TEST(Lab, SharedMemoryLimitsBlocksOnAT4AsPublished) {
  const LabReport report = predicted("smem-limit", "t4");
  std::vector<int> blocks;
  for (std::size_t i = 0; i < 5; ++i) blocks.push_back(report.rows[i].blocks_per_sm);
  EXPECT_THAT(blocks, testing::ElementsAre(4, 4, 4, 2, 1));
}

TEST(Lab, APaddedTileHasNoBankConflicts) {
  const LabReport report = predicted("bank-conflicts", "h200");
  EXPECT_EQ(report.rows[0].wavefronts, 32);
  EXPECT_EQ(report.rows[1].wavefronts, 1);
  EXPECT_EQ(report.rows[2].wavefronts, 2);
  EXPECT_GT(rate(report, "pad 1"), rate(report, "pad 0"));
}

TEST(Lab, EachTilingOfAMatmulIsFaster) {
  const LabReport report = predicted("matmul", "h200");
  EXPECT_GT(rate(report, "tile 32"), rate(report, "naive 32"));
  EXPECT_GT(rate(report, "registers 8x8"), 2 * rate(report, "tile 32"));
}

TEST(Lab, ABlockMoreThanAWaveBeginsAnother) {
  const LabReport report = predicted("waves", "h200");
  EXPECT_LT(rate(report, "1.01 waves"), 0.9 * rate(report, "1.00 waves"));
}

TEST(Lab, AWarpThatIsOffTouchesAFifthSector) {
  const LabReport report = predicted("alignment", "t4");
  std::vector<double> sectors;
  for (const LabRow& row : report.rows) sectors.push_back(row.sectors);
  // Strides 1, 2, 4, … 128, each aligned and off by one. Of a stride the last class alone reaches
  // over the end of its sectors, so samples of blocks lie between.
  EXPECT_EQ(sectors[0], 4);
  EXPECT_EQ(sectors[1], 5);
  EXPECT_EQ(sectors[2], 8);
  EXPECT_LE(sectors[3], 9);
  for (std::size_t i = 6; i < sectors.size(); ++i) EXPECT_EQ(sectors[i], 32) << i;
  EXPECT_NEAR(rate(report, "stride 1, off by one") / rate(report, "stride 1, aligned"), 1, 0.1);
}

// gcd(32, stride), by hand.
TEST(Lab, AStrideOfWordsHitsSoManyBanks) {
  std::vector<double> wavefronts;
  for (const LabRow& row : predicted("bank-strides", "t4").rows) {
    wavefronts.push_back(row.wavefronts);
  }
  EXPECT_THAT(wavefronts, testing::ElementsAre(1, 2, 1, 4, 8, 16, 32, 1));
}

TEST(Lab, PathsInsideOfAWarpTakeTurns) {
  const LabReport report = predicted("divergence", "h200");
  for (const int paths : {2, 4, 8}) {
    const double one = rate(report, "one path");
    EXPECT_NEAR(one / rate(report, fmt::format("{} paths inside of warps", paths)), paths,
                0.15 * paths);
    EXPECT_NEAR(one / rate(report, fmt::format("{} paths between warps", paths)), 1, 0.05);
  }
}

// 4 warps for 100 threads: 128 / 100.
TEST(Lab, APartialWarpTakesTheSlotsOfAWholeOne) {
  for (const char* device : {"h200", "t4"}) {
    const LabReport report = predicted("partial-warp", device);
    EXPECT_NEAR(rate(report, "128 threads") / rate(report, "100 threads"), 1.28, 0.06) << device;
    EXPECT_NEAR(rate(report, "128 threads") / rate(report, "96 threads"), 1, 0.05) << device;
  }
}

// NVIDIA's figures for a light kernel on a T4: 16, 16, 8, 4, 2 and 1 blocks of 32, 64, 128, 256,
// 512 and 1024 threads; 1024 and 40 suggested.
TEST(Lab, OccupancyByBlockSizeOnAT4IsThePublishedOne) {
  const LabReport report = predicted("occupancy", "t4");
  for (const auto& [threads, blocks] :
       {std::pair{32, 16}, {64, 16}, {128, 8}, {256, 4}, {512, 2}, {1024, 1}}) {
    const auto row =
        std::ranges::find(report.rows, fmt::format("{} threads", threads), &LabRow::label);
    EXPECT_EQ(row->blocks_per_sm, blocks) << threads;
  }
  EXPECT_THAT(suggestion_text(report),
              testing::StrEq("suggested by the model: blocks of 1024 threads; 40 of them fill the "
                             "GPU\n"));
}

TEST(Lab, ATileMovesAMatmulRightOnTheRoofline) {
  const LabReport report = predicted("matmul", "h200");
  const auto at = [&](const char* label) {
    return *std::ranges::find(report.rows, label, &LabRow::label);
  };
  EXPECT_GT(at("tile 32").l2_intensity, 2 * at("naive 32").l2_intensity);
  EXPECT_GT(at("registers 8x8").l2_intensity, at("tile 32").l2_intensity);
  for (const LabRow& row : report.rows) {
    EXPECT_LE(row.work / row.predicted_ns, 1.001 * row.roof) << row.label;
  }
}

TEST(Lab, TellsTheRatioThatMatters) {
  EXPECT_THAT(lab_ratio(predicted("ilp", "h200")),
              testing::HasSubstr("predicted: three registers, 1 chain takes"));
}

// Where something is measured its times stand beside the predictions.
class FakeMeasurer : public Measurer {
 public:
  explicit FakeMeasurer(std::vector<std::int64_t>& ballasts) : ballasts_(ballasts) {}
  MeasureResult measure(const MeasureJob& job) override {
    ballasts_.push_back(job.steps[0].dynamic_shared);
    MeasureResult result;
    result.time_ns = 5000;
    return result;
  }
  std::vector<MeasureResult> compare(const CompareJob&) override { return {}; }
  void cancel() override {}

 private:
  std::vector<std::int64_t>& ballasts_;
};

class FakeCompiler : public Compiler {
 public:
  void submit(CompileJob job, std::function<void(CompileResult)> done) override {
    CompileResult result;
    result.status = CompileResult::Status::ok;
    for (const std::string& entry : job.entries) {
      EntryFacts facts;
      facts.entry = facts.lowered_name = entry;
      facts.registers = 24;
      result.entries.push_back(facts);
    }
    done(std::move(result));
  }
  void cancel() override {}
  int parallelism() const override { return 1; }
};

TEST(Lab, MeasuresEveryCaseWithItsBallast) {
  std::vector<std::int64_t> ballasts;
  int made = 0;
  FakeCompiler compiler;
  LabBench bench{device_of("h200"), &compiler, nullptr, nullptr};
  bench.measurer = [&](const Kernel&, CacheMode) {
    ++made;
    return std::make_unique<FakeMeasurer>(ballasts);
  };
  for (const Experiment& experiment : lab_experiments(bench.device)) {
    if (experiment.name != "smem-limit") continue;
    const LabReport report = run_experiment(experiment, bench);
    EXPECT_TRUE(report.measured);
    for (const LabRow& row : report.rows) EXPECT_EQ(row.time_ns, 5000);
  }
  EXPECT_THAT(ballasts,
              testing::ElementsAre(0, 8192, 16384, 32768, 49152, 0, 8192, 16384, 32768, 49152));
  EXPECT_EQ(made, 1) << "one problem is set up once";
}

// The driver's counts stand beside the model's; what it does not tell becomes a note.
TEST(Lab, AsksTheDriverOfEveryCase) {
  FakeCompiler compiler;
  LabBench bench{device_of("t4"), &compiler, nullptr, nullptr};
  std::vector<int> threads;
  bench.occupancy = [&](std::span<const OccupancyQuery> queries) {
    std::vector<DriverOccupancy> answers;
    for (const OccupancyQuery& query : queries) {
      threads.push_back(query.threads);
      answers.push_back({7, 512, 80, query.threads == 32 ? "no such kernel" : ""});
    }
    return answers;
  };
  const std::vector<Experiment> all = lab_experiments(bench.device);
  const LabReport report =
      run_experiment(*std::ranges::find(all, "occupancy", &Experiment::name), bench);
  EXPECT_THAT(threads, testing::ElementsAre(32, 64, 96, 128, 192, 256, 384, 512, 768, 1024));
  EXPECT_FALSE(report.rows[0].driver_blocks_per_sm);
  EXPECT_EQ(report.rows[1].driver_blocks_per_sm, 7);
  EXPECT_THAT(report.notes, testing::ElementsAre(testing::HasSubstr("no such kernel")));
  EXPECT_THAT(suggestion_text(report),
              testing::HasSubstr("by the driver: blocks of 512 threads; 80 of them fill"));
}

}  // namespace
}  // namespace tuner
