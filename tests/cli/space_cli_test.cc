#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/cli/run_tuner.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;

TEST(List, NamesTheKernels) {
  const nlohmann::json json = run_tuner({"list", "--json", "-"}).json();
  std::vector<std::string> names;
  for (const auto& kernel : json.at("kernels")) names.push_back(kernel.at("name"));
  EXPECT_THAT(names, testing::IsSupersetOf({"copy", "matmul", "reduction"}));
}

TEST(Space, CountsAllAndValid) {
  const Ran run = run_tuner({"space", "matmul", "--n", "1024", "--device", "h200", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = run.json();
  double product = 1;
  for (const auto& parameter : json.at("parameters")) {
    product *= static_cast<double>(parameter.at("values").size());
  }
  EXPECT_DOUBLE_EQ(json.at("cartesian").get<double>(), product);
  EXPECT_GT(json.at("valid").get<double>(), 0);
  EXPECT_LT(json.at("valid").get<double>(), product);
  EXPECT_GE(json.at("enumerate_ms").get<double>(), 0);
  EXPECT_EQ(json.at("problem").at("n"), 1024);
}

TEST(Space, SetNarrows) {
  const nlohmann::json json = run_tuner({"space", "matmul", "--device", "h200", "--set",
                                         "BM=64,128", "BN=64", "--set", "BK=8", "--json", "-"})
                                  .json();
  std::map<std::string, nlohmann::json> values;
  for (const auto& parameter : json.at("parameters")) {
    values[parameter.at("name")] = parameter.at("values");
  }
  EXPECT_EQ(values.at("BM"), nlohmann::json({64, 128}));
  EXPECT_EQ(values.at("BN"), nlohmann::json::array({64}));
  EXPECT_EQ(values.at("BK"), nlohmann::json::array({8}));
}

TEST(Space, SuggestsNames) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const Case cases[] = {
      {{"space", "matmull"}, "matmul"},
      {{"space", "matmul", "--size", "mm=4"}, "mm"},
      {{"space", "matmul", "--with", "dtyp=f32"}, "dtype"},
      {{"space", "matmul", "--set", "TILES=8"}, "TILE"},
      {{"space", "matmul", "--set", "BM=65"}, "64"},
      {{"space", "matmul", "--set", "BM=large"}, "64"},
      {{"space", "matmul", "--set", "BM"}, "NAME=VALUE"},
      {{"space", "matmul", "--set", "BM=64", "--set", "BM=32"}, "twice"},
      {{"space", "matmul", "--n", "1", "--size", "n=2"}, "twice"},
      {{"space", "matmul", "--n", "1024,2048"}, "one at a time"},
  };
  for (const Case& each : cases) {
    std::vector<std::string> arguments = each.arguments;
    arguments.insert(arguments.end(), {"--device", "h200"});
    const Ran run = run_tuner(arguments);
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments) << run.err;
    EXPECT_THAT(run.err, HasSubstr(each.message)) << testing::PrintToString(arguments);
  }
}

}  // namespace
}  // namespace tuner::cli
