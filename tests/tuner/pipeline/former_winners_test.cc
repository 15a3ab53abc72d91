#include "tuner/pipeline/former_winners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/device_profile.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/keep.h"

namespace tuner {
namespace {

using testing::ElementsAre;

class FormerWinners : public testing::Test {
 protected:
  using Given = std::vector<std::pair<std::string, std::string>>;

  Kernel copy_of(const Given& axes) const {
    return Kernel(description_, resolve_problem(description_, axes), device_);
  }

  void won(const Given& axes, std::int64_t block, const std::string& cache = "cold") {
    const Kernel kernel = copy_of(axes);
    TunedEntry entry;
    entry.problem = kernel.problem().axes;
    entry.cache = cache;
    entry.winner.config = named_values(kernel, kernel.space().default_config());
    for (auto& [name, value] : entry.winner.config) {
      if (name == "block") value = block;
    }
    result_.entries.push_back(entry);
  }

  std::vector<std::int64_t> blocks(const Given& axes, std::size_t others = 8) const {
    const Kernel kernel = copy_of(axes);
    const std::size_t block = kernel.space().find_parameter("block").value();
    std::vector<std::int64_t> blocks;
    for (const search::Config& config : former_winners(result_, kernel, others))
      blocks.push_back(std::get<std::int64_t>(kernel.space().value(config, block)));
    return blocks;
  }

  const KernelDescription description_ = find_kernel("copy");
  const models::DeviceProfile device_ =
      models::load_device_profile(data_folder() / "configs/devices/h200.json");
  TunedResult result_;
};

TEST_F(FormerWinners, TheSameProblemThenTheNearestSizesEachOnce) {
  won({{"n", "2^30"}}, 32);
  won({{"n", "2^20"}}, 64);
  won({{"n", "2^24"}}, 512, "warm");
  won({{"n", "2^24"}}, 128);
  won({{"n", "2^25"}}, 128);
  EXPECT_THAT(blocks({{"n", "2^24"}}), ElementsAre(512, 128, 64, 32));
  EXPECT_THAT(blocks({{"n", "2^29"}}), ElementsAre(32, 128, 512, 64));
}

TEST_F(FormerWinners, OfOtherSizesOnlySoMany) {
  won({{"n", "2^24"}}, 512, "warm");
  won({{"n", "2^24"}}, 128);
  won({{"n", "2^25"}}, 64);
  won({{"n", "2^26"}}, 32);
  EXPECT_THAT(blocks({{"n", "2^24"}}, 1), ElementsAre(512, 128, 64));
  EXPECT_THAT(blocks({{"n", "2^24"}}, 0), ElementsAre(512, 128));
}

TEST_F(FormerWinners, WhatIsNoSizeMustBeEqual) {
  won({{"n", "2^24"}, {"dtype", "f64"}}, 128);
  EXPECT_THAT(blocks({{"n", "2^24"}}), ElementsAre());
}

TEST_F(FormerWinners, WhatTheSpaceDoesNotHoldIsPassedOver) {
  won({{"n", "2^24"}}, 96);
  won({{"n", "2^25"}}, 128);
  EXPECT_THAT(blocks({{"n", "2^24"}}), ElementsAre(128));
}

}  // namespace
}  // namespace tuner
