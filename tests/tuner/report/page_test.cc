#include "tuner/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/os/files.h"
#include "tuner/report/vega_library.h"

namespace tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)>\"'\n";

Page hostile_page() {
  Page page(kHostile);
  page.heading(kHostile);
  page.paragraph(kHostile);
  page.note(kHostile);
  page.facts({{kHostile, kHostile}});
  page.add(PageTable{"table", kHostile, {{kHostile}}, {{kHostile}}});
  page.add(PageData{"data", kHostile, {{kHostile}, {"n", true}}, {{kHostile, 1.5}}, 0});
  Chart chart;
  chart.id = "chart";
  chart.title = chart.caption = kHostile;
  chart.series.push_back({kHostile, Mark::points, 0, false, {{1, 1, 0}}});
  page.add(chart, "data");
  return page;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(Page, HoldsHostileNamesAsText) {
  const std::string html = hostile_page().html("const vega={};");
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_EQ(count(html, "</script>"), 3U) << "of the data, of Vega, and of the page";
}

TEST(Page, LoadsNothing) {
  const std::string html = hostile_page().html("const vega={};");
  for (const char* loads : {"://", "@import", "url(h", "<link rel='stylesheet'", "<script src"}) {
    EXPECT_THAT(html.substr(0, html.find("<script type")), Not(HasSubstr(loads))) << loads;
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Page, WithoutVegaHasPlotsAndSaysWhatToInstall) {
  const std::string html = hostile_page().html(std::nullopt);
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("libjs-vega"));
  EXPECT_THAT(html, HasSubstr("<button type='button' class='csv'>"));
}

TEST(Page, KeepsRepeatedTextsOnce) {
  PageData data{"data", "rows", {{"name"}, {"n", true}}, {}, 0};
  for (int i = 0; i < 1000; ++i) data.rows.push_back({"a name that is rather long", i});
  Page page("title");
  page.add(data);
  // Those rows that stand in the page as it is, and once for the script.
  EXPECT_EQ(count(page.html(std::nullopt), "a name that is rather long"), 51U);
}

TEST(VegaScript, IsMadeOfThePackagesPieces) {
  const TemporaryFolder folder;
  EXPECT_FALSE(vega_script(folder.path()).has_value());
  write_file_atomically(folder / "vega.min.js",
                        "var vega='</script>';\n//# sourceMappingURL=x.map");
  EXPECT_EQ(vega_script(folder.path()), "var vega='<\\/script>';\n");
}

}  // namespace
}  // namespace tuner
