// The instructions that the model reckons with beside those that an H200 executed for the same
// commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/cli/counted_cases.h"
#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

TEST(CountedInstructions, AreNearToWhatTheModelHas) {
  constexpr double kTolerance = 0.12;
  std::ifstream file(TUNER_TESTS "/data/counters/instructions-h200.json");
  const nlohmann::json cases = nlohmann::json::parse(file).at("cases");
  std::map<std::string, std::vector<nlohmann::json>> by_command;
  for (const auto& one : cases) by_command[one.at("command")].push_back(one);
  for (const auto& [command, launches] : by_command) {
    const Ran ran = run_tuner(explain_case(launches.front(), "--device h200 --json -"));
    ASSERT_EQ(ran.code, 0) << command << ran.err;
    const nlohmann::json json = ran.json();
    for (const auto& expected : launches) {
      const auto& all = json.at("launches");
      const auto launch = std::find_if(all.begin(), all.end(), [&](const auto& entry) {
        return entry.at("name") == expected.at("launch");
      });
      ASSERT_NE(launch, all.end()) << expected.dump();
      const double executed = expected.at("executed");
      EXPECT_NEAR(launch->at("instructions").template get<double>(), executed,
                  kTolerance * executed)
          << expected.dump();
    }
  }
}

}  // namespace
}  // namespace tuner::cli
