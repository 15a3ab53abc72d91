#include "tuner/store/lookup.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/tuner/store/fixture.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

LookupQuery query_of(std::int64_t n) {
  LookupQuery query;
  query.kernel = "saxpy";
  query.problem = problem_of(n);
  query.device = h200();
  query.source_hash = entry_of(n).source_hash;
  query.nearest_axes = {"n"};
  return query;
}

// An entry whose winner's block names it in the answer.
struct Stored {
  std::int64_t block;
  std::int64_t n;
  ResultDevice device;
  std::string dtype = "f32";
  std::string cache = "cold";
  bool stale = false;
};

void store(const fs::path& folder, const Stored& stored) {
  TunedEntry entry = entry_of(stored.n);
  entry.problem = problem_of(stored.n, stored.dtype);
  entry.cache = stored.cache;
  entry.device = stored.device;
  entry.winner.config = config_of(stored.block);
  if (stored.stale) entry.source_hash = "before";
  std::string id = stored.device.name;
  ResultStore(folder).save("saxpy", id, entry);
}

LookupAnswer look(const std::vector<Stored>& entries, const LookupQuery& query) {
  const TemporaryFolder folder;
  for (const Stored& entry : entries) store(folder.path(), entry);
  const std::vector<fs::path> folders = {folder.path()};
  return lookup(folders, query);
}

std::int64_t block_of(const LookupAnswer& answer) {
  if (!answer.entry) return 0;
  return std::get<std::int64_t>(answer.entry->winner.config.at(0).second);
}

struct Case {
  const char* what;
  std::vector<Stored> entries;
  Rung rung;
  std::int64_t block;  // 0: none
  double distance;     // for n = 1024
  bool stale;
};

std::vector<Case> cases() {
  ResultDevice half = h200();  // as a slice of the GPU shows itself
  half.sm_count = 66;
  ResultDevice few = h200();
  few.sm_count = 16;
  return {
      {"nothing", {}, Rung::none, 0, 0, false},
      {"this very problem",
       {{1, 512, h200()}, {2, 1024, h200()}, {3, 1024, h100()}},
       Rung::exact,
       2,
       0,
       false},
      {"the nearest by ratio, not by difference",
       {{1, 500, h200()}, {2, 1900, h200()}},
       Rung::nearest_size,
       2,
       0.8917837,  // log2(1900 / 1024)
       false},
      {"just within the factor of 4", {{1, 4096, h200()}}, Rung::nearest_size, 1, 2, false},
      {"just beyond it, up", {{1, 4097, h200()}}, Rung::none, 0, 0, false},
      {"just beyond it, down", {{1, 255, h200()}}, Rung::none, 0, 0, false},
      {"another type of element", {{1, 1024, h200(), "f64"}}, Rung::none, 0, 0, false},
      {"another cache mode", {{1, 1024, h200(), "f32", "warm"}}, Rung::none, 0, 0, false},
      {"a size here before the size itself on a like GPU",
       {{1, 2048, h200()}, {2, 1024, h100()}},
       Rung::nearest_size,
       1,
       1,
       false},
      {"the same compute capability", {{1, 1024, h100()}}, Rung::same_capability, 1, 0, false},
      {"the same compute capability, another size",
       {{1, 2048, h100()}},
       Rung::same_capability,
       1,
       1,
       false},
      {"among like GPUs the nearest in SMs",
       {{1, 1024, few}, {2, 1024, half}},
       Rung::same_capability,
       2,
       0,
       false},
      {"another compute capability", {{1, 1024, a100()}}, Rung::none, 0, 0, false},
      {"stale is never exact",
       {{1, 1024, h200(), "f32", "cold", true}},
       Rung::nearest_size,
       1,
       0,
       true},
      {"a fresh neighbour before a stale one",
       {{1, 1024, h200(), "f32", "cold", true}, {2, 2048, h200()}},
       Rung::nearest_size,
       2,
       1,
       false},
      {"a stale one here before a fresh one on a like GPU",
       {{1, 1024, h200(), "f32", "cold", true}, {2, 1024, h100()}},
       Rung::nearest_size,
       1,
       0,
       true},
  };
}

TEST(Lookup, TakesTheBestRung) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.what);
    const LookupAnswer answer = look(one.entries, query_of(1024));
    EXPECT_EQ(to_string(answer.rung), to_string(one.rung));
    EXPECT_EQ(block_of(answer), one.block);
    EXPECT_NEAR(answer.distance, one.distance, 1e-6);
    EXPECT_EQ(answer.stale, one.stale);
    EXPECT_EQ(answer.entry.has_value(), one.rung != Rung::none);
    EXPECT_EQ(answer.file.empty(), one.rung == Rung::none);
    EXPECT_EQ(answer.warnings.size(), one.stale ? 1u : 0u);
  }
}

TEST(Lookup, SaysThatAResultIsStale) {
  const LookupAnswer answer = look({{1, 1024, h200(), "f32", "cold", true}}, query_of(1024));
  EXPECT_THAT(answer.warnings, ElementsAre(AllOf(HasSubstr("n=1024 dtype=f32"), HasSubstr("stale"),
                                                 HasSubstr(answer.file.string()))));
}

TEST(Lookup, PassesOverConfigurationsThatCannotRun) {
  LookupQuery query = query_of(1024);
  query.is_valid = [](const NamedValues& config) { return config != config_of(512); };
  const LookupAnswer answer = look({{512, 1024, h200()}, {128, 2048, h200()}}, query);
  EXPECT_EQ(answer.rung, Rung::nearest_size);
  EXPECT_EQ(block_of(answer), 128);
  EXPECT_THAT(answer.warnings, ElementsAre(AllOf(HasSubstr("block=512"), HasSubstr("cannot run"))));

  query.is_valid = [](const NamedValues&) { return false; };
  const LookupAnswer none = look({{512, 1024, h200()}, {128, 2048, h200()}}, query);
  EXPECT_EQ(none.rung, Rung::none);
  EXPECT_FALSE(none.entry.has_value());
  EXPECT_EQ(none.warnings.size(), 2u);
}

TEST(Lookup, AmongEqualsTakesTheFirstFolder) {
  const TemporaryFolder mine;
  const TemporaryFolder shipped;
  store(mine.path(), {1, 1024, h200()});
  store(shipped.path(), {2, 1024, h200()});
  EXPECT_EQ(block_of(lookup(std::vector<fs::path>{mine.path(), shipped.path()}, query_of(1024))),
            1);
  EXPECT_EQ(block_of(lookup(std::vector<fs::path>{shipped.path(), mine.path()}, query_of(1024))),
            2);
}

TEST(Lookup, ALaterFolderServesWithABetterRung) {
  const TemporaryFolder mine;
  const TemporaryFolder shipped;
  store(mine.path(), {1, 2048, h200()});
  store(shipped.path(), {2, 1024, h200()});
  const LookupAnswer answer =
      lookup(std::vector<fs::path>{mine.path(), shipped.path()}, query_of(1024));
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_EQ(answer.file, shipped / "saxpy/NVIDIA H200.json");
}

TEST(Lookup, WarnsOfFilesAndFoldersThatCannotBeRead) {
  const TemporaryFolder folder;
  store(folder.path(), {1, 1024, h200()});
  const auto broken = folder.write("saxpy/broken.json", "{");
  const auto newer =
      folder.write("saxpy/newer.json", R"({"schema": "tuner.result", "version": 99})");
  const auto file = folder.write("plain", "");
  const std::vector<fs::path> folders = {file, folder / "missing", folder.path()};
  const LookupAnswer answer = lookup(folders, query_of(1024));
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_THAT(answer.warnings,
              ElementsAre(HasSubstr(file.string()), HasSubstr(broken.string()),
                          AllOf(HasSubstr(newer.string()), HasSubstr("newer tuner"))));
}

TEST(Lookup, TakesEitherCacheModeWhereNoneIsAskedFor) {
  LookupQuery query = query_of(1024);
  query.cache.clear();
  const Stored warm{1, 1024, h200(), "f32", "warm"};
  EXPECT_EQ(block_of(look({warm, {2, 2048, h200()}}, query)), 1);
  EXPECT_EQ(block_of(look({warm, {2, 1024, h200()}}, query)), 2);
}

TEST(Lookup, LeavesStaleResultsOutWhereToldTo) {
  LookupQuery query = query_of(1024);
  query.allow_stale = false;
  const LookupAnswer answer =
      look({{1, 1024, h200(), "f32", "cold", true}, {2, 1024, h100()}}, query);
  EXPECT_EQ(answer.rung, Rung::same_capability);
  EXPECT_EQ(block_of(answer), 2);
  EXPECT_THAT(answer.warnings, ElementsAre(HasSubstr("stale")));
}

TEST(ProblemDistance, TakesAnotherNumberOnlyWhereTheNearestServes) {
  LookupQuery query;
  query.problem = {{"n", std::int64_t{1024}}, {"a", 2.5}};
  query.nearest_axes = {"n"};
  const NamedValues other = {{"n", std::int64_t{1024}}, {"a", 3.0}};
  EXPECT_EQ(problem_distance(query, other), std::nullopt);
  query.nearest_axes.emplace_back("a");
  EXPECT_EQ(problem_distance(query, other), 1.0);
  EXPECT_EQ(problem_distance(query, query.problem), 0.0);
}

struct DistanceCase {
  const char* what;
  NamedValues problem;
  std::optional<double> distance;
};

TEST(ProblemDistance, IsTheRootOfTheSumOfSquaresOfLogs) {
  LookupQuery query;
  query.problem = {{"m", std::int64_t{1024}}, {"n", std::int64_t{1024}}, {"trans", false}};
  query.nearest_axes = {"m", "n", "trans"};
  const auto of = [](Value m, Value n, Value trans) {
    return NamedValues{{"m", std::move(m)}, {"n", std::move(n)}, {"trans", std::move(trans)}};
  };
  const auto size = [](std::int64_t n) { return Value(n); };
  const DistanceCase table[] = {
      {"equal", of(size(1024), size(1024), false), 0.0},
      {"in another order",
       {{"trans", false}, {"n", std::int64_t{2048}}, {"m", std::int64_t{1024}}},
       1.0},
      {"one up, one down", of(size(2048), size(512), false), 1.4142135623730951},
      {"3, 4, 5 in quarters of an octave", of(size(1722), size(2048), false), 1.25},
      {"each axis within the factor", of(size(4096), size(256), false), 2.8284271247461903},
      {"one axis beyond it", of(size(1024), size(8192), false), std::nullopt},
      {"a flag has no neighbours", of(size(1024), size(1024), true), std::nullopt},
      {"no size", of(size(0), size(1024), false), std::nullopt},
      {"a real is no size", of(Value(2048.0), size(1024), false), std::nullopt},
      {"an axis less", {{"m", std::int64_t{1024}}, {"n", std::int64_t{1024}}}, std::nullopt},
      {"an axis of another name",
       {{"m", std::int64_t{1024}}, {"k", std::int64_t{1024}}, {"trans", false}},
       std::nullopt},
  };
  for (const DistanceCase& one : table) {
    SCOPED_TRACE(one.what);
    const auto distance = problem_distance(query, one.problem);
    ASSERT_EQ(distance.has_value(), one.distance.has_value());
    if (distance) {
      EXPECT_NEAR(*distance, *one.distance, 1e-3);
    }
  }
}

TEST(ProblemDistance, HoldsToTheQuerysFactor) {
  LookupQuery query = query_of(1000);
  query.size_factor = 2;
  EXPECT_TRUE(problem_distance(query, problem_of(2000)).has_value());
  EXPECT_TRUE(problem_distance(query, problem_of(500)).has_value());
  EXPECT_FALSE(problem_distance(query, problem_of(2001)).has_value());
  query.nearest_axes = {};
  EXPECT_FALSE(problem_distance(query, problem_of(1001)).has_value());
  EXPECT_EQ(problem_distance(query, problem_of(1000)), 0.0);
}

}  // namespace
}  // namespace tuner
