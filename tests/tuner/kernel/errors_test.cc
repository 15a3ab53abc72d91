#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/fixture.h"

namespace tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A whole description; `constraints` is what the tests vary.
std::string description_with(const std::string& constraint) {
  return R"({"schema": "tuner.kernel", "version": 1, "name": "k", "source": "k.cu",
 "problem": [{"name": "n", "kind": "size", "default": 8}],
 "parameters": [{"name": "block", "values": [32, 64]}],
 "constraints": [{"holds": ")" +
         constraint + R"("}],
 "arguments": [{"name": "y", "kind": "buffer", "element": "f32", "count": "n", "access": "out"}],
 "launches": [{"entry": "k", "grid": [1], "block": ["block"], "arguments": ["y"]}],
 "verify": {"checks": [{"output": "y", "expected": "0.0"}]}})";
}

TEST(DescriptionErrors, NoneInTheFixture) {
  EXPECT_EQ(error_of(TemporaryKernel(description_with("block <= n * 8")).folder()), "");
}

TEST(DescriptionErrors, SyntaxNamesTheLine) {
  const TemporaryKernel kernel("{\n  \"schema\": \"tuner.kernel\",\n  \"version\" 1\n}");
  EXPECT_THAT(error_of(kernel.folder()), HasSubstr("kernel.json:3:"));
}

TEST(DescriptionErrors, WrongTypeNamesThePointer) {
  std::string text = description_with("true");
  text.replace(text.find("[32, 64]"), 8, "\"many\"");
  EXPECT_THAT(error_of(TemporaryKernel(text).folder()),
              AllOf(HasSubstr("/parameters/0/values"), HasSubstr("many")));
}

struct Mistake {
  std::string constraint, says;
};
class Constraints : public testing::TestWithParam<Mistake> {};
TEST_P(Constraints, NamesPlaceAndMistake) {
  const TemporaryKernel kernel(description_with(GetParam().constraint));
  EXPECT_THAT(error_of(kernel.folder()),
              AllOf(HasSubstr("kernel.json: at /constraints/0/holds"), HasSubstr(GetParam().says)));
}
INSTANTIATE_TEST_SUITE_P(All, Constraints,
                         testing::Values(Mistake{"blok < 64", "block"},
                                         Mistake{"n / 0 == 1", "zero"},
                                         Mistake{"block + 1", "boolean"},
                                         Mistake{"tx < 32", "'tx' has no value here"},
                                         Mistake{"registers < 32", "'registers' has no value"}));

struct BadAxis {
  std::string name, value, says;
};
class Axes : public testing::TestWithParam<BadAxis> {};
TEST_P(Axes, NamesAxisAndValue) {
  const BadAxis& bad = GetParam();
  const std::string error =
      error_of(source_folder() / "kernels_src/matmul", {{bad.name, bad.value}});
  EXPECT_THAT(error, AllOf(HasSubstr(bad.name), HasSubstr(bad.says)));
}
INSTANTIATE_TEST_SUITE_P(
    All, Axes,
    testing::Values(BadAxis{"n", "0", " 0:"}, BadAxis{"n", "-1", "-1"},
                    BadAxis{"n", "1e99", "1e99"}, BadAxis{"n", "abc", "abc"},
                    BadAxis{"n", "", "empty"}, BadAxis{"n", "1.5", "1.5"},
                    BadAxis{"n", "nan", "nan"}, BadAxis{"n", "2^41", "2^41"},
                    BadAxis{"n", "99999999999999999999", "99999999999999999999"},
                    BadAxis{"dtyp", "f32", "'dtype'"}, BadAxis{"dtype", "f16", "f32 f64"},
                    BadAxis{"n", "2^40", "n=1099511627776"}));

TEST(Sizes, ManySpellings) {
  const auto matmul = load_kernel_description(source_folder() / "kernels_src/matmul");
  const Given given = {{"n", "2^10"}, {"m", "1e6"}};
  EXPECT_EQ(to_string(resolve_problem(matmul, given)),
            "dtype=f32 n=1024 m=1000000 k=1024 layout_a=row layout_b=row alpha=1 beta=0");
}

TEST(Catalog, SuggestsTheNearest) {
  EXPECT_EQ(find_kernel("matmul").name, "matmul");
  EXPECT_EQ(find_kernel("examples/saxpy").name, "saxpy");
  try {
    find_kernel("matmull");
    FAIL();
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'matmul'"));
  }
}

}  // namespace
}  // namespace tuner
