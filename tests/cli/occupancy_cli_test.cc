#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;

nlohmann::json occupancy(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"occupancy", "--json", "-"});
  const Ran run = run_tuner(arguments);
  EXPECT_EQ(run.code, 0) << run.err;
  return run.json();
}

struct Case {
  std::vector<std::string> arguments;
  int blocks;
  double occupancy;
};

void expect_cases(const std::vector<Case>& cases, const std::vector<std::string>& before) {
  for (const Case& each : cases) {
    std::vector<std::string> arguments = before;
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    const nlohmann::json found = occupancy(arguments);
    EXPECT_EQ(found.at("blocks_per_sm"), each.blocks) << testing::PrintToString(arguments);
    EXPECT_DOUBLE_EQ(found.at("occupancy"), each.occupancy) << testing::PrintToString(arguments);
  }
}

// NVIDIA's documented figures for T4 and a light kernel.
TEST(OccupancyCommand, AgreesWithTheDocumentedFiguresForT4) {
  expect_cases({{{"--block", "32"}, 16, 0.5},
                {{"--block", "64"}, 16, 1},
                {{"--block", "128"}, 8, 1},
                {{"--block", "256"}, 4, 1},
                {{"--block", "512"}, 2, 1},
                {{"--block", "1024"}, 1, 1},
                {{"--block", "256", "--smem", "8K"}, 4, 1},
                {{"--block", "256", "--smem", "16K"}, 4, 1},
                {{"--block", "256", "--smem", "32K"}, 2, 0.5},
                {{"--block", "256", "--smem", "48KiB"}, 1, 0.25}},
               {"--device", "t4", "--regs", "16"});
}

TEST(OccupancyCommand, SuggestsTheBlockAndGridOfT4) {
  const nlohmann::json found = occupancy({"--device", "t4", "--regs", "16"});
  EXPECT_EQ(found.at("suggested").at("block"), 1024);
  EXPECT_EQ(found.at("suggested").at("min_grid"), 40);
}

TEST(OccupancyCommand, NamesLimitsAndLimiters) {
  const nlohmann::json found =
      occupancy({"--device", "sm_75", "--block", "256", "--regs", "40", "--smem", "32K"});
  EXPECT_EQ(found.at("warps_per_sm"), 16);
  EXPECT_EQ(found.at("max_warps_per_sm"), 32);
  EXPECT_EQ(found.at("limits").at("warps"), 4);
  EXPECT_EQ(found.at("limits").at("registers"), 6);
  EXPECT_EQ(found.at("limits").at("shared_memory"), 2);
  EXPECT_EQ(found.at("limits").at("blocks"), 16);
  EXPECT_EQ(found.at("limiters"), nlohmann::json({"shared_memory"}));
}

// By hand: 65536 / (256 * 64) = 4, 65536 / (256 * 128) = 2, 48 / 16 = 3 blocks of 8 of 32 warps.
TEST(OccupancyCommand, FollowsTheTextbookForAHypotheticalSm) {
  expect_cases({{{"--block", "256", "--regs", "64"}, 4, 1},
                {{"--block", "256", "--regs", "128"}, 2, 0.5},
                {{"--block", "256", "--sm-smem", "48K", "--smem", "16K"}, 3, 0.75},
                {{"--block", "1024", "--regs", "128"}, 0, 0}},
               {"--sm-warps", "32"});
  expect_cases({{{"--regs", "40"}, 1, 0.5}, {{"--regs", "32"}, 2, 1}},
               {"--sm-warps", "64", "--sm-blocks", "32", "--sm-smem", "100K", "--block", "1024",
                "--smem", "8320"});
  const nlohmann::json found =
      occupancy({"--sm-smem", "100K", "--block", "1024", "--smem", "8320", "--regs", "32"});
  EXPECT_EQ(found.at("limits").at("shared_memory"), 12);
  EXPECT_EQ(found.at("model"), "textbook");
  EXPECT_THAT(run_tuner({"occupancy", "--sm-warps", "32"}).out, HasSubstr("textbook"));
}

TEST(OccupancyCommand, SaysWhyABlockIsRefused) {
  const nlohmann::json found = occupancy({"--device", "h200", "--block", "1024", "--regs", "128"});
  EXPECT_EQ(found.at("blocks_per_sm"), 0);
  EXPECT_THAT(found.at("refusal").get<std::string>(), HasSubstr("131072 registers"));
}

TEST(OccupancyCommand, Sweeps) {
  const nlohmann::json block = occupancy({"--device", "t4", "--sweep", "block"}).at("sweep");
  ASSERT_EQ(block.size(), 32U);  // 32, 64, ... 1024
  EXPECT_EQ(block.at(0).at("block"), 32);
  EXPECT_EQ(block.at(0).at("blocks_per_sm"), 16);
  EXPECT_EQ(block.at(31).at("blocks_per_sm"), 1);
  const nlohmann::json registers = occupancy({"--device", "t4", "--sweep", "regs"}).at("sweep");
  EXPECT_EQ(registers.back().at("regs"), 255);
  const nlohmann::json shared = occupancy({"--device", "t4", "--sweep", "smem"}).at("sweep");
  EXPECT_EQ(shared.front().at("smem"), 0);
  EXPECT_EQ(shared.back().at("smem"), 65536);
  EXPECT_EQ(shared.back().at("blocks_per_sm"), 1);
}

TEST(OccupancyCommand, RefusesUnusableNumbers) {
  const std::vector<std::vector<std::string>> cases = {{"--smem", "32X"},
                                                       {"--smem", "-1"},
                                                       {"--block", "many"},
                                                       {"--regs", "-4"},
                                                       {"--sweep", "blocks"},
                                                       {"--sm-warps", "0"},
                                                       {"--smem", "99999999999999999999"}};
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.begin(), "occupancy");
    const Ran run = run_tuner(arguments);
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments) << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(run_tuner({"occupancy", "--device", "t4", "--sm-warps", "32"}).code, 2);
}

}  // namespace
}  // namespace tuner::cli
