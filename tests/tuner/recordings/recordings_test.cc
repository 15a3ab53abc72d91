// The model and the default strategy on spaces that were measured on a GPU (tests/data/recordings).
// What begins with fit- was looked at while the model was made, eval- only judges it. The floors
// lie a little below what docs/model.md tells: they catch what makes either worse.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "models/device_profile.h"
#include "models/rank_quality.h"
#include "search/strategy.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/evaluate.h"
#include "tuner/pipeline/prune.h"
#include "tuner/store/recording.h"

namespace tuner {
namespace {

struct Floor {
  std::string file;
  double spearman, first, best_of_8, kept;  // as in models::RankQuality
  int seeds_in_time;                        // of ten that come within 1 % in a minute
};

void PrintTo(const Floor& floor, std::ostream* out) { *out << floor.file; }

KernelDescription kernel_of(const Recording& recording) {
  return recording.kernel == "stencil" ? find_kernel((data_folder() / "examples/stencil").string())
                                       : find_kernel(recording.kernel);
}

class Recorded : public testing::TestWithParam<Floor> {
 protected:
  Recorded()
      : recording_(load_recording(data_folder() / "tests/data/recordings" /
                                  (GetParam().file + "-h200.json.gz"))) {
    recording_.device = models::load_device_profile(data_folder() / "configs/devices/h200.json");
  }

  // The kernel with the values that were recorded, and no others.
  Kernel narrowed() const {
    Kernel kernel(kernel_of(recording_), {recording_.problem}, recording_.device);
    for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
      const std::string& name = recording_.parameters[i].name;
      std::vector<Value> values;
      for (const RecordedTrial& trial : recording_.trials) {
        if (std::ranges::find(values, trial.values[i]) == values.end())
          values.push_back(trial.values[i]);
      }
      kernel = kernel.with_space(kernel.space().narrowed(name, values));
    }
    // A parameter that came later was at its default.
    const std::vector<search::Parameter> all = kernel.space().parameters();
    for (const search::Parameter& parameter : all) {
      const auto& recorded = recording_.parameters;
      if (std::ranges::find(recorded, parameter.name, &RecordedParameter::name) != recorded.end())
        continue;
      const std::vector only = {parameter.values[parameter.default_index]};
      kernel = kernel.with_space(kernel.space().narrowed(parameter.name, only));
    }
    return kernel;
  }

  Recording recording_;
};

TEST_P(Recorded, IsOrderedByTheModel) {
  const Floor& floor = GetParam();
  const Evaluation evaluation = evaluate(kernel_of(recording_), recording_, {});
  EXPECT_EQ(evaluation.left_out, 0U);
  EXPECT_GE(evaluation.quality.spearman, floor.spearman);
  EXPECT_GE(evaluation.quality.top1, floor.first);
  EXPECT_GE(evaluation.quality.top8, floor.best_of_8);
  EXPECT_GE(evaluation.quality.kept_best, floor.kept);
  EXPECT_LE(evaluation.quality.kept_share, 0.1);
}

// What the recorded configurations would have cost a search: 16 cores compile, each for as long as
// was recorded, and one GPU measures what is compiled, for kMeasureMs each.
class Replay {
 public:
  Replay(const Recording& recording, const Kernel& kernel) : kernel_(kernel) {
    for (const RecordedTrial& trial : recording.trials) {
      NamedValues values;
      for (std::size_t i = 0; i < trial.values.size(); ++i)
        values.emplace_back(recording.parameters[i].name, trial.values[i]);
      trials_.emplace(kernel.space().from_values(values), &trial);
      if (trial.status == search::Status::ok) best_ns_ = std::min(best_ns_, trial.time_ns);
    }
  }

  // Seconds until something within 1 % of the best was measured; nullopt where it was not in a
  // minute.
  std::optional<double> seconds_to_best(std::uint64_t seed) const {
    constexpr double kMeasureMs = 40, kLimitMs = 60'000;
    constexpr std::size_t kCores = 16;
    Pruned pruned = prune(kernel_, false, seed);
    keep_likely(pruned);
    search::StrategyInput input;
    input.space = &kernel_.space();
    input.candidates = pruned.candidates;
    input.predict = [this](const search::Config& config) {
      return predict_ns(kernel_, config, false);
    };
    input.seed = seed;
    const auto strategy = search::make_strategy("model", std::move(input));
    using Compiled = std::pair<double, search::Config>;
    const auto later = [](const Compiled& a, const Compiled& b) { return a.first > b.first; };
    std::priority_queue<Compiled, std::vector<Compiled>, decltype(later)> compiling(later);
    double now = 0, gpu_free = 0;
    while (now < kLimitMs) {
      for (const search::Config& config : strategy->ask(kCores - compiling.size()))
        compiling.emplace(now + trials_.at(config)->compile_ms, config);
      if (compiling.empty()) return std::nullopt;
      const auto [compiled, config] = compiling.top();
      compiling.pop();
      gpu_free = std::max(gpu_free, compiled) + kMeasureMs;
      now = std::max(now, compiled);
      const RecordedTrial& recorded = *trials_.at(config);
      search::Trial trial{config, recorded.status, recorded.time_ns, false, recorded.reason};
      strategy->tell(std::span(&trial, 1));
      if (recorded.status == search::Status::ok && recorded.time_ns <= 1.01 * best_ns_)
        return gpu_free < kLimitMs ? std::optional(gpu_free * 1e-3) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const Kernel& kernel_;
  std::unordered_map<search::Config, const RecordedTrial*, search::ConfigHash> trials_;
  double best_ns_ = std::numeric_limits<double>::infinity();
};

TEST_P(Recorded, IsSearchedInAMinute) {
  const Kernel kernel = narrowed();
  const Replay replay(recording_, kernel);
  constexpr int kSeeds = 10;
  int in_time = 0;
  std::string seconds;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::optional<double> found = replay.seconds_to_best(static_cast<std::uint64_t>(seed));
    in_time += found ? 1 : 0;
    seconds += found ? std::to_string(*found) + " " : "never ";
  }
  RecordProperty("seconds", seconds);
  EXPECT_GE(in_time, GetParam().seeds_in_time) << seconds;
}

// How well the GPU itself, measured a second time, is told by the first.
models::RankQuality told_by_the_first(const std::string& file) {
  const std::filesystem::path folder = data_folder() / "tests/data/recordings";
  const Recording first = load_recording(folder / file),
                  again = load_recording(folder / "again" / file);
  std::vector<models::RankedTrial> ranked;
  for (const RecordedTrial& trial : again.trials) {
    const auto before = std::ranges::find(first.trials, trial.values, &RecordedTrial::values);
    if (before != first.trials.end()) ranked.push_back({before->time_ns, trial.time_ns, true});
  }
  return models::rank_quality(ranked);
}

// A copy of 4 MiB is a plateau at the launch: no model can tell more than the GPU does.
TEST(Again, ACopyOf2To20IsAPlateauAndASumIsNot) {
  const models::RankQuality copy = told_by_the_first("eval-copy-2e20-h200.json.gz");
  EXPECT_EQ(copy.measured, 540U);
  EXPECT_LT(copy.spearman, 0.3);
  EXPECT_LT(copy.top8, 0.93);
  const models::RankQuality reduction = told_by_the_first("eval-reduction-2e20-h200.json.gz");
  EXPECT_EQ(reduction.measured, 720U);
  EXPECT_GT(reduction.spearman, 0.9);
  EXPECT_GT(reduction.top8, 0.99);
}

INSTANTIATE_TEST_SUITE_P(H200, Recorded,
                         testing::Values(Floor{"fit-copy-2e24", 0.91, 0.97, 0.99, 0.99, 9},
                                         Floor{"fit-gather-stride4", 0.90, 0.98, 0.99, 0.99, 9},
                                         Floor{"fit-matmul-1024", 0.77, 0.98, 1.00, 1.00, 9},
                                         Floor{"fit-matmul-4096", 0.92, 0.99, 0.99, 0.99, 9},
                                         Floor{"fit-reduction-2e24", 0.91, 0.98, 0.99, 1.00, 9},
                                         Floor{"fit-transpose", 0.92, 0.97, 0.99, 0.99, 9},
                                         Floor{"eval-copy-2e20", 0.51, 0.80, 0.90, 0.90, 9},
                                         Floor{"eval-copy-2e28", 0.92, 0.98, 0.99, 0.99, 9},
                                         Floor{"eval-gather-shuffled", 0.10, 0.99, 0.99, 0.99, 9},
                                         Floor{"eval-gather-stride1", 0.86, 0.98, 0.99, 0.99, 9},
                                         Floor{"eval-gather-stride32", 0.94, 0.98, 0.99, 0.99, 9},
                                         Floor{"eval-matmul-2048", 0.83, 0.97, 0.98, 0.98, 9},
                                         Floor{"eval-matmul-3000", 0.91, 0.99, 1.00, 1.00, 9},
                                         Floor{"eval-matmul-512", 0.95, 0.94, 1.00, 1.00, 9},
                                         Floor{"eval-matmul-8192x128x8192", 0.82, 0.99, 1.00, 1.00,
                                               9},
                                         Floor{"eval-reduction-2e20", 0.89, 0.98, 0.98, 1.00, 9},
                                         Floor{"eval-reduction-2e28", 0.93, 0.99, 0.99, 1.00, 9},
                                         Floor{"eval-stencil", 0.51, 0.83, 0.99, 0.99, 9},
                                         Floor{"eval-transpose", 0.92, 0.97, 0.99, 0.99, 9}));

}  // namespace
}  // namespace tuner
