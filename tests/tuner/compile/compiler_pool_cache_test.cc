#include <thread>

#include "tests/tuner/compile/pool_fixture.h"

namespace tuner {
namespace {

class CompilerPoolCache : public PoolTest {
 protected:
  CompilerPoolCache() { folder_.write("header.h", "#define VALUE 1\n"); }

  CompileJob cached_job() const {
    return job("#include \"header.h\"\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }",
               {"k"});
  }
};

TEST_F(CompilerPoolCache, RepeatIsFoundByAnyPool) {
  const auto pool = make_pool();
  const CompileResult first = compile_and_wait(*pool, cached_job());
  const CompileResult second = compile_and_wait(*pool, cached_job());
  const CompileResult third = compile_and_wait(*make_pool({"no such mode"}), cached_job());
  EXPECT_COMPILED(first);
  EXPECT_FALSE(first.cached);
  for (const CompileResult* result : {&second, &third}) {
    EXPECT_COMPILED(*result);
    EXPECT_TRUE(result->cached);
    EXPECT_EQ(result->cubin, first.cubin);
    EXPECT_EQ(result->log, first.log);
    ASSERT_EQ(result->entries.size(), 1U);
    EXPECT_EQ(result->entries[0].registers, first.entries[0].registers);
  }
}

TEST_F(CompilerPoolCache, ChangesAreMisses) {
  const auto pool = make_pool();
  EXPECT_COMPILED(compile_and_wait(*pool, cached_job()));
  folder_.write("header.h", "#define VALUE 2\n");
  EXPECT_FALSE(compile_and_wait(*pool, cached_job()).cached);
  CompileJob other_option = cached_job();
  other_option.options = {"-DUNUSED=1"};
  EXPECT_FALSE(compile_and_wait(*pool, other_option).cached);
  CompileJob other_architecture = cached_job();
  other_architecture.architecture = 80;
  EXPECT_FALSE(compile_and_wait(*pool, other_architecture).cached);
  EXPECT_TRUE(compile_and_wait(*pool, cached_job()).cached);
}

TEST_F(CompilerPoolCache, TruncatedEntryIsCompiledAgain) {
  const auto pool = make_pool();
  const CompileResult first = compile_and_wait(*pool, cached_job());
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cubins")) {
    std::filesystem::resize_file(entry.path(), 10);
  }
  const CompileResult again = compile_and_wait(*pool, cached_job());
  EXPECT_COMPILED(again);
  EXPECT_FALSE(again.cached);
  EXPECT_GT(std::filesystem::file_size(again.cubin), 10U);
  EXPECT_TRUE(compile_and_wait(*pool, cached_job()).cached);
}

TEST_F(CompilerPoolCache, FailuresAreNotKept) {
  const auto pool = make_pool();
  const CompileJob broken = job("extern \"C\" __global__ void k() { error }", {"k"});
  EXPECT_EQ(compile_and_wait(*pool, broken).status, CompileResult::Status::error);
  const CompileResult again = compile_and_wait(*pool, broken);
  EXPECT_EQ(again.status, CompileResult::Status::error);
  EXPECT_FALSE(again.cached);
}

TEST_F(CompilerPoolCache, ComputedIncludesAreNotTrustedToTheCache) {
  const auto pool = make_pool();
  CompileJob computed =
      job("#include HEADER\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }", {"k"});
  computed.options = {"-DHEADER=\"header.h\""};
  EXPECT_COMPILED(compile_and_wait(*pool, computed));
  EXPECT_FALSE(compile_and_wait(*pool, computed).cached);
}

TEST_F(CompilerPoolCache, CanBeTurnedOff) {
  CompilerPoolOptions options;
  options.processes = 1;
  options.cache_folder = folder_ / "cubins";
  options.use_cache = false;
  options.process_argv = {TEST_PROCESS, "compile-process"};
  const auto pool = make_compiler_pool(options);
  EXPECT_COMPILED(compile_and_wait(*pool, cached_job()));
  EXPECT_FALSE(compile_and_wait(*pool, cached_job()).cached);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cubins"));
}

TEST_F(CompilerPoolCache, FolderThatCannotBeWrittenCostsNothing) {
  folder_.write("cubins", "a file where the folder was to be");
  const auto pool = make_pool();
  const CompileResult first = compile_and_wait(*pool, cached_job());
  EXPECT_COMPILED(first);
  EXPECT_TRUE(std::filesystem::exists(first.cubin));
  EXPECT_TRUE(compile_and_wait(*pool, cached_job()).cached);
}

TEST_F(CompilerPoolCache, PoolsMayCompileTheSameAtOnce) {
  const CompileJob same = cached_job();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, &same] {
      const CompileResult result = compile_and_wait(*make_pool(), same);
      EXPECT_COMPILED(result);
      EXPECT_TRUE(std::filesystem::exists(result.cubin));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(compile_and_wait(*make_pool(), same).cached);
}

}  // namespace
}  // namespace tuner
