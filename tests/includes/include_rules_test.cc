#include "tests/includes/include_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tuner::includes {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const fs::path& tree() {
  static const fs::path root(TUNER_TREE);
  return root;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The C++ sources under the scanned folders, root-relative.
std::vector<std::string> sources() {
  std::vector<std::string> found;
  for (const char* folder : {"expr", "search", "models", "tuner", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(tree() / folder)) {
      const std::string path = entry.path().lexically_relative(tree()).generic_string();
      const bool is_source = entry.path().extension() == ".cc" || entry.path().extension() == ".h";
      // Those of tests/consumer are a project of its own.
      if (is_source && !path.starts_with("tests/consumer/")) {
        found.push_back(path);
      }
    }
  }
  return found;
}

std::vector<std::string> check(std::string_view path, std::string_view source) {
  return include_violations(path, source, [](const std::string&) { return true; });
}

TEST(Tree, IncludesFollowTheArrows) {
  const std::vector<std::string> files = sources();
  ASSERT_GT(files.size(), 3U) << "nothing to scan under " << tree();
  const auto exists = [](const std::string& path) { return fs::is_regular_file(tree() / path); };
  for (const std::string& file : files) {
    EXPECT_THAT(include_violations(file, text_of(tree() / file), exists), IsEmpty());
  }
}

TEST(Tree, LinksFollowTheArrowsAndHaveNoCycle) {
  Arrows links;
  for (const auto& [folder, allowed] : allowed_arrows()) {
    const fs::path lists = tree() / folder / "CMakeLists.txt";
    if (folder == "tuner" || !fs::exists(lists)) {
      continue;  // tuner/CMakeLists.txt makes the executable, and some folders are still to come.
    }
    links[folder] = links_of(text_of(lists));
    EXPECT_THAT(link_violations(folder, links[folder]), IsEmpty());
  }
  EXPECT_THAT(links, testing::Contains(testing::Key("search"))) << "nothing to scan";
  EXPECT_THAT(find_cycle(links), IsEmpty());
}

TEST(Arrows, TheTableHasNoCycle) { EXPECT_THAT(find_cycle(allowed_arrows()), IsEmpty()); }

TEST(Arrows, TheTableNamesOnlyItsOwnFolders) {
  for (const auto& [from, folders] : allowed_arrows()) {
    for (const std::string& to : folders) {
      EXPECT_TRUE(allowed_arrows().contains(to)) << from << " → " << to;
    }
  }
}

struct Case {
  const char* path;
  const char* source;
  const char* violation;  // a part of it; nullptr where the include is allowed
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.path << ": " << one.source; }

class PlantedInclude : public testing::TestWithParam<Case> {};

TEST_P(PlantedInclude, IsJudged) {
  const auto [path, source, violation] = GetParam();
  if (violation == nullptr) {
    EXPECT_THAT(check(path, source), IsEmpty());
  } else {
    EXPECT_THAT(check(path, source), ElementsAre(HasSubstr(violation)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, PlantedInclude,
    testing::Values(
        Case{"expr/a.cc", "#include \"search/space.h\"\n", "expr may not include search"},
        Case{"search/a.cc", "#include \"models/profile.h\"\n", "search may not include models"},
        Case{"models/a.h", "#include \"search/space.h\"\n", "models may not include search"},
        Case{"models/a.cc", "#include \"tuner/os/files.h\"\n", "models may not include tuner/os"},
        Case{"search/a.cc", "#include \"expr/value.h\"\n", nullptr},
        Case{"models/a.cc", "#include <cuda_occupancy.h>\n", nullptr},
        Case{"models/a.cc", "#include <cuda.h>\n", "models may not include <cuda.h>"},
        Case{"search/a.cc", "#include <nvrtc.h>\n", "search may not include <nvrtc.h>"},
        Case{"search/a.cc", "#include <cuda_occupancy.h>\n", "may not include <cuda_occupancy.h>"},
        Case{"tuner/pipeline/a.cc", "#include <cuda.h>\n", "may not include <cuda.h>"},
        Case{"tuner/gpu/a.cc", "#include <cuda_runtime.h>\n", "may not include <cuda_runtime.h>"},
        Case{"tuner/gpu/a.cc", "#include <cuda.h>\n", nullptr},
        Case{"tuner/compile/a.cc", "#include <nvrtc.h>\n", nullptr},
        Case{"tuner/cli/a.cc", "#include \"tuner/gpu/device.h\"\n", "may not include tuner/gpu"},
        Case{"tuner/cli/a.cc", "#include \"tuner/measure/job.h\"\n",
             "may not include tuner/measure"},
        Case{"tuner/cli/a.cc", "#include \"tuner/worker/worker.h\"\n", nullptr},
        Case{"tuner/runtime/a.cc", "#include \"tuner/pipeline/tune.h\"\n", "tuner/pipeline"},
        Case{"tuner/main.cc", "#include \"tuner/cli/app.h\"\n", nullptr},
        Case{"tuner/main.cc", "#include \"tuner/gpu/device.h\"\n",
             "tuner may not include tuner/gpu"},
        Case{"tuner/newcomer/a.cc", "", "not in the table"},
        Case{"search/a.cc", "#include \"tests/fake.h\"\n", "belongs to the tests"},
        Case{"tests/search/a.cc", "#include \"models/profile.h\"\n", nullptr},
        Case{"search/a.cc", "#include \"space.h\"\n", "not relative to the root"},
        Case{"search/a.cc", "#include \"search/../expr/a.h\"\n", "not relative to the root"},
        Case{"tests/search/a.cc", "#include \"helpers.h\"\n", "not relative to the root"},
        Case{"search/a.cc", "#include <expr/value.h>\n", "needs quotes"}));

TEST(IncludeViolations, NameTheFileAndTheLine) {
  EXPECT_THAT(check("search/a.cc", "\n#include <vector>\n#include \"models/a.h\"\n"),
              ElementsAre("search/a.cc:3: search may not include models: \"models/a.h\""));
}

TEST(IncludeViolations, AMissingHeaderIsOne) {
  const auto nothing = [](const std::string&) { return false; };
  EXPECT_THAT(include_violations("search/a.cc", "#include \"expr/gone.h\"\n", nothing),
              ElementsAre(HasSubstr("is not there")));
}

TEST(IncludesOf, SkipsCommentsAndLiteralsAndKeepsLines) {
  const char* source =
      "// #include \"a.h\"\n"
      "/* \n#include \"b.h\"\n*/ #  include \"c.h\"  // why\n"
      "auto s = R\"x(\n#include \"d.h\"\n)x\";\n"
      "auto t = \"/*\"; auto n = 1'000; auto q = '\"';\n"
      "\t#include <e>\n";
  const std::vector<Include> includes = includes_of(source);
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].path, "c.h");
  EXPECT_TRUE(includes[0].quoted);
  EXPECT_EQ(includes[0].line, 4);
  EXPECT_EQ(includes[1].path, "e");
  EXPECT_FALSE(includes[1].quoted);
  EXPECT_EQ(includes[1].line, 9);
}

TEST(LinksOf, ReadsBothCallsAndOnlyFolders) {
  EXPECT_THAT(links_of("tuner_library(tuner_gpu DEPS tuner_os\n  tuner_models tuner_cuda)\n"
                       "target_link_libraries(tuner_gpu PRIVATE tuner_expr ZLIB::ZLIB)\n"
                       "target_compile_definitions(tuner_gpu PRIVATE tuner_search)\n"),
              UnorderedElementsAre("tuner/os", "models", "expr"));
  EXPECT_THAT(links_of("tuner_library(tuner_expr)\n"), IsEmpty());
}

TEST(LinkViolations, AreNamed) {
  EXPECT_THAT(link_violations("search", {"expr", "models"}),
              ElementsAre(HasSubstr("search may not link models")));
}

TEST(FindCycle, NamesTheCycleAlone) {
  EXPECT_THAT(find_cycle({{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {}}, {"d", {"b"}}}),
              ElementsAre("b", "d", "b"));
  EXPECT_THAT(find_cycle({{"a", {"a"}}}), ElementsAre("a", "a"));
  EXPECT_THAT(find_cycle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}), IsEmpty());
}

}  // namespace
}  // namespace tuner::includes
