#include "tuner/runtime/choosing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/tuner/select/copy_results.h"

namespace tuner::runtime {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::int64_t kN = 1 << 20;

class Choosing : public testing::Test, protected CopyResults {
 protected:
  Chosen choose_for(std::int64_t n, bool allow_stale = false) const {
    return choose(copy_of(n, h200_), {configs()}, allow_stale);
  }
  // The block size names the entry in the answer: the default has 256.
  static std::string block_of(const Chosen& chosen) {
    for (const auto& [name, value] : chosen.selection.values) {
      if (name == "block") return value;
    }
    return "";
  }
};

TEST_F(Choosing, TakesTheResultForJustThis) {
  store(h200_, tuned(kN, h200_, 512));
  store(h200_, tuned(2 * kN, h200_, 128));
  const Chosen chosen = choose_for(kN);
  EXPECT_EQ(chosen.selection.rung, Rung::exact);
  EXPECT_EQ(block_of(chosen), "512");
  EXPECT_EQ(chosen.selection.tuned_ns, 1000);
  EXPECT_EQ(chosen.selection.tuned_device, h200_.name);
  EXPECT_THAT(chosen.selection.problem, HasSubstr("n=1048576"));
  EXPECT_EQ(chosen.selection.tuned_problem, chosen.selection.problem);
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST_F(Choosing, ThenTheNearestSizeWithinAFactorOfFour) {
  store(h200_, tuned(2 * kN, h200_, 512));
  store(h200_, tuned(4 * kN, h200_, 128));
  const Chosen near = choose_for(kN);
  EXPECT_EQ(near.selection.rung, Rung::nearest_size);
  EXPECT_EQ(block_of(near), "512");
  const Chosen far = choose_for(64 * kN);
  EXPECT_EQ(far.selection.rung, Rung::fallback);
  EXPECT_EQ(block_of(far), "256");
}

TEST_F(Choosing, ThenAnotherGpuOfTheSameCapability) {
  store(h100_, tuned(kN, h100_, 512));
  store(a100_, tuned(kN, a100_, 128));
  const Chosen chosen = choose_for(kN);
  EXPECT_EQ(chosen.selection.rung, Rung::same_capability);
  EXPECT_EQ(block_of(chosen), "512");
  EXPECT_EQ(chosen.selection.tuned_device, h100_.name);
}

TEST_F(Choosing, ThenTheDefault) {
  store(a100_, tuned(kN, a100_, 128));
  const Chosen chosen = choose_for(kN);
  EXPECT_EQ(chosen.selection.rung, Rung::fallback);
  EXPECT_EQ(block_of(chosen), "256");
  EXPECT_EQ(chosen.selection.tuned_ns, 0);
  EXPECT_TRUE(chosen.selection.file.empty());
}

TEST_F(Choosing, ABetterRungWinsOverTheCacheMode) {
  store(h200_, tuned(2 * kN, h200_, 128, "cold"));
  store(h200_, tuned(kN, h200_, 512, "warm"));
  EXPECT_EQ(block_of(choose_for(kN)), "512");
  store(h200_, tuned(kN, h200_, 64, "cold"));
  EXPECT_EQ(block_of(choose_for(kN)), "64");
}

TEST_F(Choosing, PassesOverWhatTheSpaceDoesNotHold) {
  store(h200_, tuned(kN, h200_, 4096));
  const Chosen chosen = choose_for(kN);
  EXPECT_EQ(chosen.selection.rung, Rung::fallback);
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("cannot run here")));
}

TEST_F(Choosing, AStaleResultIsUsedOnlyWhereThatIsAskedFor) {
  TunedEntry entry = tuned(kN, h200_, 512);
  entry.source_hash = "before";
  store(h200_, entry);
  store(h200_, tuned(2 * kN, h200_, 128));
  const Chosen fresh = choose_for(kN);
  EXPECT_EQ(fresh.selection.rung, Rung::nearest_size);
  EXPECT_EQ(block_of(fresh), "128");
  const Chosen stale = choose_for(kN / 4, true);
  EXPECT_EQ(block_of(stale), "512");
  EXPECT_TRUE(stale.selection.stale);
  EXPECT_THAT(stale.warnings, Contains(HasSubstr("is stale")));
  const Chosen none = choose_for(kN / 4, false);
  EXPECT_EQ(none.selection.rung, Rung::fallback);
  EXPECT_THAT(none.warnings, Contains(HasSubstr("is stale")));
}

TEST_F(Choosing, ADamagedFileIsAWarningThatNamesIt) {
  store(h200_, tuned(kN, h200_, 512));
  folder_.write("configs/copy/broken.json", "{\"schema\": \"tuner.res");
  const Chosen chosen = choose_for(kN);
  EXPECT_EQ(block_of(chosen), "512");
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("broken.json")));
}

TEST_F(Choosing, WhereNothingIsValidItSaysSo) {
  KernelDescription description = description_;
  description.constraints.push_back({{"block > 4096", "/constraints/99/holds"}, "never"});
  const tuner::Kernel kernel(description, copy_of(kN, h200_).problem(), h200_);
  try {
    choose(kernel, {configs()}, false);
    FAIL() << "expected a TunerError";
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_valid_config);
    EXPECT_THAT(error.what(), HasSubstr("no configuration is valid"));
  }
}

}  // namespace
}  // namespace tuner::runtime
