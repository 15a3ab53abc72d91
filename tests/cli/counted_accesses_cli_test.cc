// The model's sectors and wavefronts beside what the counters of an H200 told of the same commands.
#include <gtest/gtest.h>

#include "tests/cli/counted_cases.h"
#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

TEST(CountedAccesses, AreWhatTheModelHas) {
  for (const auto& one : counted_cases()) {
    SCOPED_TRACE(one.at("command"));
    const Ran ran = run_tuner(explain_case(one, "--device h200 --json -"));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const nlohmann::json json = ran.json();
    ASSERT_EQ(json.at("launches").size(), 1U);
    const auto& launch = json.at("launches").front();
    const int warps_a_block = (launch.at("block").get<int>() + 31) / 32;
    const double warps = launch.at("grid").get<double>() * warps_a_block;
    for (const auto& counted : one.at("counted")) {
      double total = 0;
      for (const auto& access : json.at("accesses")) {
        if (access.at("memory") != counted.at("memory") ||
            access.at("store") != counted.at("store") ||
            access.at("width_bytes") != counted.at("width_bytes"))
          continue;
        const bool shared = access.at("memory") == "shared";
        total += warps * access.at("requests_per_warp").get<double>() *
                 access.at(shared ? "bank_wavefronts" : "sectors_per_request").get<double>();
      }
      const double expected = counted.at("total");
      EXPECT_NEAR(total, expected, kCountTolerance * expected) << counted.dump();
    }
  }
}

}  // namespace
}  // namespace tuner::cli
