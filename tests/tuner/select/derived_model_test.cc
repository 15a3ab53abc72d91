// What is read from the PTX of kernels whose counts are known by hand, on three architectures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/select/derived_fixture.h"

namespace tuner {
namespace {

class Derived : public DerivedTest, public testing::WithParamInterface<const char*> {};

const models::MemoryAccess* find_access(const models::LaunchShape& launch, const std::string& name,
                                        bool store) {
  for (const models::MemoryAccess& access : launch.accesses) {
    if (access.name == name && access.store == store) return &access;
  }
  return nullptr;
}

double requests(const models::LaunchShape& launch, bool shared, bool store, int width) {
  double sum = 0;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (access.shared == shared && access.store == store && access.width_bytes == width) {
      sum += access.requests_per_warp;
    }
  }
  return sum;
}

TEST_P(Derived, Saxpy) {
  const Kernel kernel = make_kernel("examples/saxpy", {{"n", "1048576"}}, true, GetParam());
  const models::KernelShape shape =
      compiled_shape(kernel, config_with(kernel, {{"items", std::int64_t{4}}}));
  const models::LaunchShape& launch = shape.launches.at(0);
  ASSERT_TRUE(launch.derived);
  EXPECT_TRUE(launch.derived->unknown.empty()) << launch.derived->unknown.front();
  EXPECT_TRUE(launch.derived->loops.empty());
  EXPECT_EQ(launch.fma_per_thread, 4);
  EXPECT_EQ(launch.accesses.size(), 3U);
  for (const auto& [name, store] :
       {std::pair("x", false), std::pair("y", false), std::pair("y", true)}) {
    const models::MemoryAccess* access = find_access(launch, name, store);
    ASSERT_NE(access, nullptr) << name;
    EXPECT_EQ(access->requests_per_warp, 4) << name;
    EXPECT_EQ(access->width_bytes, 4) << name;
    EXPECT_EQ(access->sectors_per_request, 4) << name;
    EXPECT_EQ(access->efficiency, 1) << name;
    EXPECT_EQ(access->buffer_bytes, 4194304) << name;
    EXPECT_EQ(access->reuse, 1) << name;
  }
}

TEST_P(Derived, MatmulInTiles) {
  const Kernel kernel = make_kernel("kernels_src/matmul", {{"n", "512"}}, true, GetParam());
  const models::KernelShape shape = compiled_shape(
      kernel,
      config_with(kernel, {{"algorithm", std::string("tile")}, {"TILE", std::int64_t{16}}}));
  const models::LaunchShape& launch = shape.launches.at(0);
  ASSERT_TRUE(launch.derived);
  // 512 / 16 tiles; each element of C takes 512 FMAs, and few beside them.
  ASSERT_EQ(launch.derived->loops.size(), 1U);
  EXPECT_EQ(launch.derived->loops[0].iterations, 32);
  EXPECT_TRUE(launch.derived->loops[0].iterations_known);
  EXPECT_EQ(launch.derived->loops[0].fma, 16);
  EXPECT_EQ(launch.derived->loops[0].global_load_bytes, 8);
  EXPECT_EQ(launch.derived->loops[0].shared_store_bytes, 8);
  EXPECT_NEAR(launch.fma_per_thread, 512, 3);
  EXPECT_EQ(launch.barriers_per_block, 64);
  EXPECT_EQ(requests(launch, true, true, 4), 64);
  EXPECT_EQ(requests(launch, true, false, 4), 2 * 512);
  const models::MemoryAccess* a = find_access(launch, "A", false);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->requests_per_warp, 32);
  EXPECT_EQ(a->sectors_per_request, 4);  // two rows of 16 floats
  EXPECT_EQ(launch.ilp, 1);              // one sum a thread
}

TEST_P(Derived, WideCopies) {
  const Kernel kernel = make_kernel("kernels_src/copy", {{"n", "2^24"}}, true, GetParam());
  const models::KernelShape shape = compiled_shape(
      kernel, config_with(kernel, {{"width", std::int64_t{4}}, {"items", std::int64_t{8}}}));
  const models::LaunchShape& launch = shape.launches.at(0);
  EXPECT_EQ(requests(launch, false, false, 16), 8);
  EXPECT_EQ(requests(launch, false, true, 16), 8);
  EXPECT_EQ(requests(launch, false, false, 4), 0);  // the tail of another block
  // Eight in one run; the compiler of some architectures has no registers for all of them.
  EXPECT_GE(launch.loads_in_flight, 6);
  EXPECT_LE(launch.loads_in_flight, std::min(8.0, *launch.registers / 4.0));
  EXPECT_EQ(launch.fma_per_thread, 0);
}

TEST_P(Derived, LoopOverTheGridRunsAsOftenAsTheLaunchSays) {
  const Kernel kernel = make_kernel("kernels_src/copy", {{"n", "2^24"}}, true, GetParam());
  const models::KernelShape shape =
      compiled_shape(kernel, config_with(kernel, {{"persistent", std::int64_t{1}}}));
  const models::LaunchShape& launch = shape.launches.at(0);
  ASSERT_FALSE(launch.derived->loops.empty());
  const double tiles = 16777216.0 / 256 / static_cast<double>(launch.blocks);
  EXPECT_NEAR(launch.derived->loops[0].iterations, tiles, 1);
}

// Columns walked along: each lane's element lies in a sector of its own.
TEST_P(Derived, StridesAreSeen) {
  const Kernel kernel =
      make_kernel("kernels_src/copy", {{"shape", "rows_cols"}, {"n", "4096"}}, true, GetParam());
  const models::KernelShape shape =
      compiled_shape(kernel, config_with(kernel, {{"walk", std::string("rows")}}));
  const models::MemoryAccess* in = find_access(shape.launches.at(0), "in", false);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(in->sectors_per_request, 32);
  EXPECT_EQ(in->efficiency, 0.125);
}

TEST_P(Derived, AddressesThatAreLoadedAreSaidToBeAssumed) {
  const Kernel kernel =
      make_kernel("kernels_src/gather", {{"n", "2^20"}, {"mode", "indexed"}}, true, GetParam());
  const models::KernelShape shape = compiled_shape(kernel, kernel.space().default_config());
  ASSERT_TRUE(shape.launches.at(0).derived);
  EXPECT_THAT(shape.launches.at(0).derived->assumed,
              testing::Contains(testing::HasSubstr("neighbouring lanes")));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Derived, testing::Values("t4", "a100", "h200"));

}  // namespace
}  // namespace tuner
