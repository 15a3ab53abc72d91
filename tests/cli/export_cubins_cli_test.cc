// tuner export --cubins: needs NVRTC, no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run_tuner.h"
#include "tests/tuner/compile/temporary_folder.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::size_t files_with(const fs::path& folder, const char* extension) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    count += entry.path().extension() == extension ? 1 : 0;
  }
  return count;
}

TEST(ExportCubins, CompilesEveryConfigurationAndTheFallback) {
  const TemporaryFolder folder;
  const std::string cubins = folder / "cubins";
  const Ran run = run_tuner({"export", "copy", "--cubins", cubins, "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto count = run.json().at("cubins").get<std::size_t>();
  EXPECT_GE(count, 2U);
  EXPECT_EQ(files_with(cubins, ".cubin"), count);
  EXPECT_EQ(files_with(cubins, ".json"), count);
}

TEST(ExportCubins, RefusesAFolderThatCannotBe) {
  const Ran run = run_tuner({"export", "copy", "--cubins", "/dev/null/cubins"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, testing::HasSubstr("/dev/null/cubins"));
}

}  // namespace
}  // namespace tuner::cli
