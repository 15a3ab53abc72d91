#include "tuner/measure/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace tuner {
namespace {

using nlohmann::json;

MeasureSetup setup() {
  MeasureSetup result;
  result.device = 3;
  BufferSpec buffer;
  buffer.name = "x";
  buffer.element = "bf16";
  buffer.count = (std::int64_t{1} << 31) + 1;
  buffer.output = true;
  buffer.init = {"clustered", -1.5, 2.5, 0xffffffffffffffffULL, 77, "a file"};
  result.buffers = {buffer};
  result.verification.reference_cubin = "ref.cubin";
  result.verification.relative = 1e-3;
  result.verification.absolute = 1e-6;
  result.verification.frobenius = 1e-4;
  ElementCheck check;
  check.output = "y";
  check.expected = "a * xi";
  check.loads = {{"xi", "x", "i + 1"}};
  check.scalars = {{"a", 2.0}, {"n", std::int64_t{5}}, {"t", true}, {"s", std::string("f32")}};
  check.samples = 99;
  result.verification.checks = {check};
  result.cache = CacheMode::warm;
  result.sampling = {1, 2, 0.25, 3.5, 4.5};
  result.run_timeout_ms = 1234.5;
  return result;
}

MeasureJob job() {
  MeasureJob result;
  result.id = "BM64";
  result.cubin = "folder \xff/k.cubin";  // a path that is no UTF-8
  LaunchStep kernel;
  kernel.lowered_name = "_Z1kv";
  kernel.grid = {2147483647, 65535, 3};
  kernel.block = {32, 4, 2};
  kernel.cluster = {2, 1, 1};
  kernel.cooperative = true;
  kernel.dynamic_shared = 100000;
  for (const auto kind : {LaunchArgument::Kind::buffer, LaunchArgument::Kind::reference_output,
                          LaunchArgument::Kind::workspace}) {
    kernel.arguments.push_back({kind, "name", "i64", std::int64_t{0}, {}});
  }
  kernel.arguments.push_back({LaunchArgument::Kind::scalar, "one", "f64", 1.0, {}});
  kernel.arguments.push_back(
      {LaunchArgument::Kind::scalar, "least", "i64", std::numeric_limits<std::int64_t>::min(), {}});
  kernel.arguments.push_back(
      {LaunchArgument::Kind::tensor_map, "m", "i64", false, {"x", {64, 32}, {256}, {8, 8}, "128"}});
  LaunchStep memset;
  memset.kind = LaunchStep::Kind::memset;
  memset.memset_target = "w";
  memset.memset_bytes = 400;
  memset.memset_value = 7;
  result.steps = {memset, kernel};
  result.workspaces = {{"w", 400, "each_run"}};
  result.symbols = {{"factors", "x"}};
  result.incumbent_ns = 12.5;
  result.may_abandon = false;
  result.full_check = true;
  return result;
}

MeasureResult result() {
  MeasureResult one;
  one.id = "BM64";
  one.status = "wrong";
  one.reason = "because";
  one.time_ns = 1.5;
  one.low_ns = 1.25;
  one.high_ns = 1.75;
  one.relative_spread = 0.5;
  one.first_ns = 9;
  one.samples = 2;
  one.launches_per_sample = 3;
  one.samples_ns = {1.25, 1.75};
  one.max_error = std::numeric_limits<double>::infinity();
  one.frobenius_error = 0.125;
  one.verified = one.abandoned = one.throttled = true;
  one.clock_mhz = 1980;
  one.power_w = 700;
  one.temperature_c = 60;
  one.gpu_ms = 150;
  return one;
}

// There and back through the bytes of the channel; a member that was left out would come back as
// its default.
template <typename T>
void expect_round_trip(const T& value) {
  const json before = value;
  const json sent = json::from_msgpack(json::to_msgpack(before));
  const json after = sent.get<T>();
  EXPECT_EQ(before, after);
  EXPECT_NE(before, json(T{}));
}

TEST(MeasureJson, RoundTrips) {
  expect_round_trip(setup());
  expect_round_trip(job());
  expect_round_trip(result());
  expect_round_trip(CompareJob{{job(), job()}, 7, 0xfedcba9876543210ULL});
}

// As text, which has no infinity.
TEST(MeasureJson, RoundTripsAsText) {
  const json before = setup();
  EXPECT_EQ(json(json::parse(before.dump()).get<MeasureSetup>()), before);
}

TEST(MeasureJson, KeepsEveryMember) {
  const auto copy = json(job()).get<MeasureJob>();
  EXPECT_EQ(copy.cubin, job().cubin);
  EXPECT_EQ(copy.steps[0].kind, LaunchStep::Kind::memset);
  EXPECT_EQ(copy.steps[0].memset_value, 7);
  EXPECT_EQ(copy.steps[1].grid, (std::array<std::int64_t, 3>{2147483647, 65535, 3}));
  EXPECT_EQ(copy.steps[1].cluster[0], 2);
  EXPECT_TRUE(copy.steps[1].cooperative);
  EXPECT_EQ(copy.steps[1].arguments[1].kind, LaunchArgument::Kind::reference_output);
  EXPECT_EQ(type_of(copy.steps[1].arguments[3].value), Type::real);
  EXPECT_EQ(std::get<std::int64_t>(copy.steps[1].arguments[4].value),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(copy.steps[1].arguments[5].tensor_map.swizzle, "128");
  EXPECT_EQ(copy.workspaces[0].init, "each_run");
  EXPECT_TRUE(copy.full_check);
  EXPECT_FALSE(copy.may_abandon);
  const auto other = json(setup()).get<MeasureSetup>();
  EXPECT_EQ(other.cache, CacheMode::warm);
  EXPECT_EQ(other.buffers[0].init.seed, 0xffffffffffffffffULL);
  EXPECT_EQ(type_of(other.verification.checks[0].scalars[0].second), Type::real);
  EXPECT_EQ(type_of(other.verification.checks[0].scalars[2].second), Type::boolean);
}

TEST(MeasureJson, RefusesWhatLacksAKey) {
  json broken = job();
  broken.erase("steps");
  EXPECT_THROW(broken.get<MeasureJob>(), json::exception);
  EXPECT_THROW(json(3).get<MeasureResult>(), json::exception);
}

}  // namespace
}  // namespace tuner
