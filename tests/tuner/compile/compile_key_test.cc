#include "tuner/compile/compile_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"

namespace tuner {
namespace {

using testing::MatchesRegex;

class CompileKeyTest : public testing::Test {
 protected:
  CompileKeyTest() {
    job_.source = tree_.write("kernel.cu", "#include <header.h>");
    job_.include_dirs = {tree_ / "include"};
    job_.options = {"-DBLOCK=128", "-DUNROLL=4"};
    job_.entries = {"k<1>", "k<2>"};
    job_.symbols = {"c"};
    job_.architecture = 90;
    tree_.write("include/header.h", "int a;");
  }

  std::string key(const CompileJob& job, const std::string& toolkit = "13.0") {
    return compile_key(job, toolkit, scanner_).text;
  }

  TemporaryFolder tree_;
  IncludeScanner scanner_;
  CompileJob job_;
};

TEST_F(CompileKeyTest, HasThirtyTwoDigitsAndRepeats) {
  EXPECT_THAT(key(job_), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(key(job_), key(job_));
}

TEST_F(CompileKeyTest, IsOfWhatMatters) {
  const std::vector<std::function<void(CompileJob&)>> changes{
      [](CompileJob&) {},
      [](CompileJob& job) { job.architecture = 80; },
      [](CompileJob& job) { job.options[0] = "-DBLOCK=256"; },
      [](CompileJob& job) { std::swap(job.options[0], job.options[1]); },
      [](CompileJob& job) { job.options = {"-DBLOCK=128-DUNROLL=4"}; },
      [](CompileJob& job) { job.options.pop_back(); },
      [](CompileJob& job) { job.entries.pop_back(); },
      [](CompileJob& job) { std::swap(job.entries[0], job.entries[1]); },
      [](CompileJob& job) { job.symbols.clear(); },
      [](CompileJob& job) { job.entries.emplace_back("c"), job.symbols.clear(); },
      [](CompileJob& job) { job.include_dirs.clear(); },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    CompileJob job = job_;
    change(job);
    keys.insert(key(job));
  }
  keys.insert(key(job_, "13.1"));
  tree_.write("include/header.h", "int b;");
  keys.insert(key(job_));
  EXPECT_EQ(keys.size(), changes.size() + 2);
}

TEST_F(CompileKeyTest, IsNotOfWhatDoesNotMatter) {
  CompileJob job = job_;
  job.label = "BM128";
  job.deadline = std::chrono::milliseconds(1);
  job.include_dirs.push_back(tree_ / "empty");
  EXPECT_EQ(key(job), key(job_));
}

TEST_F(CompileKeyTest, SeesFoldersAndHeadersAmongTheOptions) {
  const std::string folder = tree_ / "more";
  tree_.write("more/header.h", "int in_more;");
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"-I" + folder}, {"-I", folder}, {"--include-path=" + folder}}) {
    CompileJob job = job_;
    job.include_dirs.clear();
    job.options = options;
    const std::string before = key(job);
    tree_.write("more/header.h", "changed " + options.front());
    EXPECT_NE(key(job), before) << options.front();
  }
  CompileJob job = job_;
  job.options = {"--pre-include=forced.h"};
  tree_.write("forced.h", "1");
  const std::string before = key(job);
  tree_.write("forced.h", "2");
  EXPECT_NE(key(job), before);
}

TEST_F(CompileKeyTest, KnowsWhenItMayMissAHeader) {
  EXPECT_TRUE(compile_key(job_, "13.0", scanner_).complete);
  tree_.write("include/header.h", "#include CONFIGURATION");
  EXPECT_FALSE(compile_key(job_, "13.0", scanner_).complete);
}

TEST_F(CompileKeyTest, MissingSourceIsAnError) {
  job_.source = tree_ / "missing.cu";
  EXPECT_THROW(key(job_), TunerError);
  EXPECT_THROW(source_hash(job_.source, {}, {}), TunerError);
}

TEST_F(CompileKeyTest, SourceHashFollowsSourceHeadersAndOptions) {
  const auto hash = [&](const std::vector<std::string>& options) {
    return source_hash(job_.source, job_.include_dirs, options);
  };
  const std::string before = hash({"-DA=1"});
  EXPECT_THAT(before, MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(hash({"-DA=1"}), before);
  EXPECT_NE(hash({"-DA=2"}), before);
  tree_.write("include/header.h", "int b;");
  EXPECT_NE(hash({"-DA=1"}), before);
  tree_.write("include/header.h", "int a;");
  EXPECT_EQ(hash({"-DA=1"}), before);
  tree_.write("kernel.cu", "#include <header.h>\n");
  EXPECT_NE(hash({"-DA=1"}), before);
}

}  // namespace
}  // namespace tuner
