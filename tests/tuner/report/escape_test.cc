#include "tuner/report/escape.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(HtmlEscaped, LeavesNoMarkup) {
  EXPECT_EQ(html_escaped("</script><b title=\"x\" id='y'>&"),
            "&lt;/script&gt;&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(html_escaped("two\nlines\tand µ"), "two\nlines\tand µ");
}

// XML forbids them, and an SVG that holds one is shown by no browser.
TEST(HtmlEscaped, ReplacesControlCharacters) {
  EXPECT_EQ(html_escaped(std::string_view("a\0b\x1b[31m", 8)), "a\uFFFDb\uFFFD[31m");
  EXPECT_EQ(html_escaped("a\u202Eb"), "a\uFFFDb");
}

TEST(ValidUtf8, ReplacesWhatIsNone) {
  struct Case {
    const char* bytes;
    const char* text;
  };
  const Case cases[] = {
      {"\xC3\xA9", "é"},                         // kept
      {"a\xFFz", "a\uFFFDz"},                    // no lead byte
      {"\xC0\xAF", "\uFFFD\uFFFD"},              // '/' in two bytes
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},    // a surrogate
      {"\xE2\x82", "\uFFFD\uFFFD"},              // cut off
      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},  // four bytes
  };
  for (const Case& one : cases) EXPECT_EQ(valid_utf8(one.bytes), one.text);
}

TEST(ScriptJson, EndsNoScript) {
  const nlohmann::ordered_json json = {{"name", "</script><!--\u2028"}};
  const std::string text = script_json(json);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), json);
}

TEST(ScriptJson, TakesWhatIsNoUtf8) {
  EXPECT_EQ(script_json(nlohmann::ordered_json("a\xFFz")), "\"a\uFFFDz\"");
}

TEST(CsvField, QuotesByRfc4180AndStartsNoFormula) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\"\nthere"), "\"say \"\"hi\"\"\nthere\"");
  EXPECT_EQ(csv_field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_field("@x"), "'@x");
  EXPECT_EQ(csv_field("-1.5"), "-1.5");
  EXPECT_EQ(csv_field("-x"), "'-x");
}

TEST(TerminalSafe, ShowsWhatWouldMoveTheCursor) {
  EXPECT_EQ(terminal_safe("a\x1b[2Jb\r\n\tc\x7f"), "a\\x1b[2Jb\\x0d\\n\\tc\\x7f");
  EXPECT_EQ(terminal_safe("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(terminal_safe("a\u009Bb"), "a\\x9bb");
  EXPECT_EQ(terminal_safe("µ█"), "µ█");
}

}  // namespace
}  // namespace tuner
