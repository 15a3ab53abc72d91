// The built-in kernels at sizes that no tile divides: configurations drawn from their spaces are
// compiled, run and verified on the GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/os/paths.h"
#include "tuner/pipeline/setup.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

struct Case {
  std::string kernel;
  Given given;
  std::size_t samples = 12;
  std::string parameter = {};  // held at `value` where given
  Value value = {};
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.kernel;
  for (const auto& [name, value] : one.given) *out << '_' << name << value;
  if (!one.parameter.empty()) *out << one.parameter << to_string(one.value);
}

class AwkwardSizes : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const DeviceList list = list_devices();
    const char* required = std::getenv("TUNER_REQUIRE_GPU");
    if (!list.devices.empty()) {
      device_ = list.devices.front().profile;
    } else if (required != nullptr && std::string(required) == "1") {
      FAIL() << list.problem;
    } else {
      GTEST_SKIP() << list.problem;
    }
  }
  models::DeviceProfile device_;
};

TEST_P(AwkwardSizes, AreRight) {
  const KernelDescription description = find_kernel(GetParam().kernel);
  const Kernel whole(description, resolve_problem(description, GetParam().given), device_);
  const Value& value = GetParam().value;
  const Kernel kernel =
      GetParam().parameter.empty()
          ? whole
          : whole.with_space(whole.space().narrowed(GetParam().parameter, std::span(&value, 1)));
  const auto compiler = make_compiler_pool({});
  MeasureSetup setup = make_setup(kernel, *compiler, CacheMode::warm, 0);
  setup.sampling.max_samples = setup.sampling.min_samples = 1;
  const auto worker = make_worker(setup);
  std::mt19937_64 random(7);
  std::vector<search::Config> configs = kernel.space().sample(GetParam().samples, random);
  configs.push_back(kernel.space().nearest_valid_to_default().value());
  for (const search::Config& config : configs) {
    ReadyJob ready = make_job(kernel, *compiler, config);
    ASSERT_TRUE(ready.job) << kernel.space().id(config) << ": " << ready.problem;
    ready.job->full_check = true;
    const MeasureResult result = worker->measure(*ready.job);
    EXPECT_EQ(result.status, "ok") << kernel.space().id(config) << ": " << result.reason;
    EXPECT_TRUE(result.verified);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Copy, AwkwardSizes,
    testing::Values(Case{"copy", {{"n", "1"}}}, Case{"copy", {{"n", "31"}}},
                    Case{"copy", {{"n", "33"}, {"dtype", "f64"}}}, Case{"copy", {{"n", "1000003"}}},
                    Case{"copy", {{"n", "2147483649"}}, 3},
                    Case{"copy", {{"n", "31"}}, 12, "path", "bulk"},
                    Case{"copy", {{"n", "1000003"}}, 24, "path", "bulk"},
                    Case{"copy", {{"n", "8388608"}, {"dtype", "f64"}}, 24, "path", "bulk"},
                    Case{"copy", {{"n", "2147483649"}}, 2, "path", "bulk"},
                    Case{"copy", {{"shape", "rows_cols"}, {"n", "1001"}, {"m", "997"}}}));
INSTANTIATE_TEST_SUITE_P(
    Gather, AwkwardSizes,
    testing::Values(
        Case{"gather", {{"n", "1"}}}, Case{"gather", {{"n", "33"}, {"stride", "7"}}},
        Case{"gather", {{"n", "1000003"}, {"stride", "31"}, {"dtype", "f64"}}},
        Case{"gather", {{"mode", "indexed"}, {"n", "1000003"}}},
        Case{"gather", {{"mode", "indexed"}, {"n", "31"}, {"index_type", "i64"}}},
        Case{"gather", {{"n", "1"}}, 12, "plan", "classes"},
        Case{"gather", {{"n", "100003"}, {"stride", "31"}}, 24, "plan", "classes"},
        Case{"gather", {{"n", "1048576"}, {"stride", "16"}}, 24, "plan", "classes"},
        Case{"gather", {{"n", "2147483649"}}, 2, "plan", "classes"},
        Case{"gather", {{"n", "100003"}, {"stride", "31"}}, 24, "plan", "staged"},
        Case{"gather", {{"n", "100003"}, {"stride", "7"}, {"dtype", "f64"}}, 24, "plan", "staged"},
        Case{"gather", {{"n", "1048576"}, {"stride", "128"}}, 24, "plan", "staged"},
        Case{"gather", {{"n", "2147483649"}}, 2, "plan", "staged"},
        Case{"gather", {{"n", "2147483649"}}, 2}));
INSTANTIATE_TEST_SUITE_P(
    Transpose, AwkwardSizes,
    testing::Values(Case{"transpose", {{"n", "1"}}},
                    Case{"transpose", {{"n", "31"}, {"m", "33"}}, 24},
                    Case{"transpose", {{"n", "1001"}, {"m", "997"}}, 24},
                    Case{"transpose", {{"n", "1000"}, {"m", "516"}, {"dtype", "f64"}}, 24},
                    Case{"transpose", {{"n", "2048"}, {"m", "1024"}}, 48},
                    Case{"transpose", {{"n", "46341"}}, 2}));
INSTANTIATE_TEST_SUITE_P(
    Matmul, AwkwardSizes,
    testing::Values(
        Case{"matmul", {{"n", "1"}}, 24}, Case{"matmul", {{"n", "31"}}, 24},
        Case{"matmul", {{"n", "33"}}, 24}, Case{"matmul", {{"n", "127"}, {"dtype", "f64"}}, 24},
        Case{"matmul", {{"m", "1000"}, {"n", "1001"}, {"k", "7"}}, 32},
        Case{"matmul", {{"m", "257"}, {"n", "1024"}, {"k", "1023"}}, 32},
        Case{"matmul", {{"n", "512"}}, 48}, Case{"matmul", {{"n", "260"}}, 32, "staging", "async"},
        Case{"matmul", {{"n", "516"}}, 32, "FINISH", "atomic"},
        Case{"matmul",
             {{"m", "192"}, {"n", "321"}, {"k", "500"}, {"beta", "2"}},
             32,
             "FINISH",
             "cluster"},
        Case{"matmul", {{"m", "96"}, {"n", "200"}, {"k", "4000"}}, 32, "SPLIT", std::int64_t{0}},
        Case{"matmul", {{"m", "130"}, {"n", "190"}, {"k", "516"}}, 32, "SLICES", std::int64_t{4}},
        Case{"matmul", {{"m", "257"}, {"n", "250"}, {"k", "70"}}, 32, "SLICES", std::int64_t{2}},
        Case{"matmul", {{"m", "254"}, {"n", "192"}, {"k", "1030"}}, 48, "lines_a", "along_k"},
        Case{"matmul", {{"n", "512"}}, 32, "lines_a", "along_k"},
        Case{"matmul", {{"n", "256"}, {"layout_b", "column"}, {"beta", "1"}}, 32},
        Case{"matmul",
             {{"m", "130"},
              {"n", "67"},
              {"k", "33"},
              {"layout_a", "column"},
              {"layout_b", "column"},
              {"alpha", "2"},
              {"beta", "-0.5"}},
             48}));
INSTANTIATE_TEST_SUITE_P(
    Reduction, AwkwardSizes,
    testing::Values(Case{"reduction", {{"n", "1"}}, 24},
                    Case{"reduction", {{"n", "31"}, {"op", "min"}}, 24},
                    Case{"reduction", {{"n", "33"}, {"op", "max"}, {"dtype", "f64"}}, 24},
                    Case{"reduction", {{"n", "1000003"}}, 24},
                    Case{"reduction", {{"n", "1000003"}, {"dtype", "f64"}}, 24},
                    Case{"reduction", {{"n", "1"}}, 12, "finish", "atomic"},
                    Case{"reduction", {{"n", "1000003"}}, 24, "finish", "atomic"},
                    Case{"reduction", {{"n", "1000003"}, {"dtype", "f64"}}, 24, "finish", "atomic"},
                    Case{"reduction", {{"n", "1000003"}, {"deterministic", "true"}}, 24},
                    Case{"reduction", {{"n", "2147483649"}, {"op", "max"}}, 3}));

INSTANTIATE_TEST_SUITE_P(FmaChain, AwkwardSizes,
                         testing::Values(Case{"fma_chain", {{"n", "1"}, {"steps", "1"}}},
                                         Case{"fma_chain", {{"n", "1000003"}, {"steps", "17"}}},
                                         Case{"fma_chain", {{"n", "4097"}, {"operands", "two"}}},
                                         Case{"fma_chain",
                                              {{"n", "65536"}, {"operands", "immediate"}}}));

INSTANTIATE_TEST_SUITE_P(
    Studied, AwkwardSizes,
    testing::Values(Case{"strided_read", {{"n", "1"}}},
                    Case{"strided_read", {{"n", "1000003"}, {"stride", "7"}, {"offset", "1"}}},
                    Case{"center_columns", {{"n", "1"}, {"m", "1"}}},
                    Case{"center_columns", {{"n", "100003"}, {"m", "33"}}, 24},
                    Case{"shared_stride", {{"n", "1"}, {"rounds", "1"}}},
                    Case{"shared_stride", {{"n", "100003"}, {"stride", "33"}, {"rounds", "9"}}},
                    Case{"divergence", {{"n", "1"}, {"steps", "1"}}},
                    Case{"divergence", {{"n", "100003"}, {"paths", "8"}, {"steps", "17"}}},
                    Case{"divergence", {{"n", "100003"}, {"between", "warps"}, {"paths", "4"}}}));

}  // namespace
}  // namespace tuner
