#include "tuner/compile/include_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/error.h"
#include "tests/tuner/compile/temporary_folder.h"

namespace tuner {

void PrintTo(const IncludeLine& line, std::ostream* out) {
  *out << (line.quoted ? '"' : '<') << line.name;
}

namespace {

using testing::ElementsAre;
using Lines = std::vector<IncludeLine>;

TEST(FindIncludes, ReadsEverySpelling) {
  struct Case {
    const char* text;
    Lines expected;
  };
  const std::vector<Case> cases{
      {"", {}},
      {"#include \"a.h\"", {{"a.h", true}}},
      {"#include <cuda/std/array>\n", {{"cuda/std/array", false}}},
      {"\t# \t include\t\"a b.h\" // why\r\n", {{"a b.h", true}}},
      {"#include\"a.h\"\n#include<b.h>", {{"a.h", true}, {"b.h", false}}},
      {"#if 0\n#include \"hidden.h\"\n#endif", {{"hidden.h", true}}},
      {"#inc\\\nlude \\\r\n \"a.h\"\n", {{"a.h", true}}},
      {"#include_next <a.h>", {{"a.h", false}}},
      {"#include \"open.h\n#include \"b.h\"", {{"b.h", true}}},
      {"#include <open.h\n\"b.h\"", {}},
      {"#include", {}},
      {"#", {}},
      {"int include = 3; // \"a.h\"", {}},
      {"#define X \"a.h\"", {}},
  };
  for (const Case& item : cases) {
    const IncludeLines found = find_includes(item.text);
    EXPECT_EQ(found.includes, item.expected) << item.text;
    EXPECT_FALSE(found.computed) << item.text;
  }
}

TEST(FindIncludes, NoticesAComputedOne) {
  const IncludeLines found = find_includes("#include HEADER\n#include \"a.h\"");
  EXPECT_TRUE(found.computed);
  EXPECT_EQ(found.includes, (Lines{{"a.h", true}}));
}

TEST(IncludeScanner, FollowsIncludesFromFileToFile) {
  const TemporaryFolder tree;
  const auto source =
      tree.write("k/kernel.cu", "#include \"own.h\"\n#include <lib/shared.h>\n#include <cuda.h>");
  const auto own = tree.write("k/own.h", "#include \"deep/inner.h\"");
  const auto inner = tree.write("k/deep/inner.h", "#include \"beside.h\"\n#include \"../own.h\"");
  const auto beside = tree.write("k/deep/beside.h", "");
  const auto shared = tree.write("include/lib/shared.h", "#include \"other.h\"");
  const auto other = tree.write("include/lib/other.h", "");
  const SourceScan scan = IncludeScanner().scan(source, {tree / "include"});
  EXPECT_THAT(scan.files, ElementsAre(source, own, shared, inner, other, beside));
  EXPECT_TRUE(scan.complete);
}

TEST(IncludeScanner, LooksInTheCompilersOrder) {
  const TemporaryFolder tree;
  const auto source = tree.write("k/kernel.cu", "#include \"a.h\"\n#include <b.h>");
  tree.write("first/a.h", "");
  const auto second_b = tree.write("second/b.h", "");
  const auto first_b = tree.write("first/b.h", "");
  const auto own_a = tree.write("k/a.h", "");
  const std::vector<std::filesystem::path> folders{tree / "first", tree / "second"};
  EXPECT_THAT(IncludeScanner().scan(source, folders).files, ElementsAre(source, own_a, first_b));
  std::filesystem::remove(first_b);
  EXPECT_THAT(IncludeScanner().scan(source, folders).files, ElementsAre(source, own_a, second_b));
}

TEST(IncludeScanner, DigestFollowsEveryContent) {
  const TemporaryFolder tree;
  const auto source = tree.write("kernel.cu", "#include \"a.h\"");
  tree.write("a.h", "#include \"b.h\"");
  tree.write("b.h", "int b = 1;");
  IncludeScanner scanner;
  const std::string before = scanner.scan(source, {}).digest;
  EXPECT_EQ(scanner.scan(source, {}).digest, before);
  tree.write("b.h", "int b = 2;");
  const std::string after_header = scanner.scan(source, {}).digest;
  EXPECT_NE(after_header, before);
  tree.write("kernel.cu", "#include \"a.h\"\n");
  EXPECT_NE(scanner.scan(source, {}).digest, after_header);
}

TEST(IncludeScanner, NoticesAChangeOfARememberedFile) {
  using std::chrono::seconds;
  const TemporaryFolder tree;
  const auto source = tree.write_old("kernel.cu", "#include \"a.h\"", seconds(100));
  tree.write_old("a.h", "one", seconds(100));
  IncludeScanner scanner;
  const std::string before = scanner.scan(source, {}).digest;
  EXPECT_EQ(scanner.scan(source, {}).digest, before);
  tree.write_old("a.h", "two", seconds(50));
  const std::string after = scanner.scan(source, {}).digest;
  EXPECT_NE(after, before);
  tree.write_old("a.h", "longer", seconds(50));
  EXPECT_NE(scanner.scan(source, {}).digest, after);
}

TEST(IncludeScanner, DigestDoesNotDependOnThePlace) {
  const TemporaryFolder tree;
  for (const std::string folder : {"x/", "y/z/"}) {
    tree.write(folder + "kernel.cu", "#include \"a.h\"");
    tree.write(folder + "a.h", "int a;");
  }
  IncludeScanner scanner;
  EXPECT_EQ(scanner.scan(tree / "x/kernel.cu", {}).digest,
            scanner.scan(tree / "y/z/kernel.cu", {}).digest);
}

// Both headers are in both scans; only who gets which differs.
TEST(IncludeScanner, DigestTellsWhichHeaderAnIncludeLeadsTo) {
  const TemporaryFolder tree;
  const auto source =
      tree.write("k/kernel.cu", "#include \"p/a.h\"\n#include \"q/a.h\"\n#include <a.h>");
  tree.write("k/p/a.h", "int p;");
  tree.write("k/q/a.h", "int q;");
  IncludeScanner scanner;
  EXPECT_NE(scanner.scan(source, {tree / "k/p"}).digest,
            scanner.scan(source, {tree / "k/q"}).digest);
}

TEST(IncludeScanner, ForcedHeadersCount) {
  const TemporaryFolder tree;
  const auto source = tree.write("kernel.cu", "");
  const auto forced = tree.write("forced.h", "");
  EXPECT_THAT(IncludeScanner().scan(source, {}, {"forced.h"}).files, ElementsAre(source, forced));
}

TEST(IncludeScanner, MissingSourceIsAnErrorAndAMissingHeaderIsNot) {
  const TemporaryFolder tree;
  const auto source = tree.write("kernel.cu", "#include \"missing.h\"");
  EXPECT_THAT(IncludeScanner().scan(source, {}).files, ElementsAre(source));
  EXPECT_THROW(IncludeScanner().scan(tree / "missing.cu", {}), TunerError);
}

}  // namespace
}  // namespace tuner
