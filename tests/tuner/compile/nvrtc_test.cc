#include "tuner/compile/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/compile/compiler.h"

namespace tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

// TUNER_CUDA_HOME for the life of the object.
class [[nodiscard]] CudaHome {
 public:
  explicit CudaHome(const std::string& home) {
    if (const char* old = std::getenv(kName)) old_ = old;
    ::setenv(kName, home.c_str(), 1);
  }
  ~CudaHome() { ::setenv(kName, old_.c_str(), 1); }  // empty is as good as not set
  CudaHome(const CudaHome&) = delete;
  CudaHome& operator=(const CudaHome&) = delete;

 private:
  static constexpr const char* kName = "TUNER_CUDA_HOME";
  std::string old_;
};

TEST(Nvrtc, IsFoundWithItsHeaders) {
  const NvrtcInfo info = nvrtc_info();
  ASSERT_TRUE(info.found) << info.problem;
  EXPECT_THAT(info.version, MatchesRegex("1[23]\\.[0-9]+"));
  EXPECT_TRUE(std::filesystem::is_regular_file(info.library)) << info.library;
  EXPECT_THAT(info.library.string(), Not(HasSubstr(".alt")));
  EXPECT_TRUE(std::filesystem::is_regular_file(info.include_dir / "cuda_fp16.h"))
      << info.include_dir;
}

// Keys of the cache are made from either.
TEST(Nvrtc, IsToldTheSameWithoutLoadingIt) {
  const NvrtcInfo loaded = nvrtc_info();
  const NvrtcInfo seen = nvrtc_info_unloaded();
  if (!seen.found) GTEST_SKIP() << loaded.library << " has no builtins beside it";
  EXPECT_EQ(seen.version, loaded.version);
  EXPECT_EQ(seen.library, loaded.library);
  EXPECT_EQ(seen.include_dir, loaded.include_dir);
}

TEST(Nvrtc, WithoutLoadingNothingIsToldWhereThereIsNone) {
  const CudaHome home("/nowhere");
  EXPECT_FALSE(nvrtc_info_unloaded().found);
}

TEST(Nvrtc, HomeThatIsNamedIsTheOnlyOne) {
  const TemporaryFolder folder;
  const CudaHome home(folder.path());
  const NvrtcInfo info = nvrtc_info();
  EXPECT_FALSE(info.found);
  EXPECT_THAT(info.problem, AllOf(HasSubstr(folder.path().string()), HasSubstr("libnvrtc.so.13"),
                                  HasSubstr("TUNER_CUDA_HOME"), Not(HasSubstr("/usr/local"))));
  try {
    make_compiler_pool({});
    FAIL();
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_device);
    EXPECT_EQ(error.what(), info.problem);
  }
}

TEST(Nvrtc, LibraryThatIsDamagedIsNamed) {
  const TemporaryFolder folder;
  folder.write("lib64/libnvrtc.so.12", "no library");
  const CudaHome home(folder.path());
  EXPECT_THAT(nvrtc_info().problem, HasSubstr("lib64/libnvrtc.so.12: file too short"));
}

TEST(Nvrtc, IsFoundInAHomeOfItsOwn) {
  const NvrtcInfo usual = nvrtc_info();
  ASSERT_TRUE(usual.found);
  const TemporaryFolder folder;
  const std::string name = usual.version.starts_with("13") ? "libnvrtc.so.13" : "libnvrtc.so.12";
  std::filesystem::create_directories(folder / "lib");
  std::filesystem::create_symlink(usual.library, folder / "lib" / name);
  const CudaHome home(folder.path());
  const NvrtcInfo info = nvrtc_info();
  EXPECT_TRUE(info.found) << info.problem;
  EXPECT_EQ(info.version, usual.version);
}

}  // namespace
}  // namespace tuner
