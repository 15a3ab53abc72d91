// tuner report and compare --html, as a user runs them; in a browser where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/run_tuner.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tests/tuner/pipeline/modelled_journal.h"
#include "tuner/os/paths.h"
#include "tuner/report/vega_library.h"

namespace tuner::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "</script><img src=x onerror=console.log(1)>\"'\n\x1b[31m,=1";

void write_journal(const std::filesystem::path& path, double slower = 1) {
  KernelDescription description = find_kernel("matmul");
  Problem problem =
      resolve_problem(description, std::vector<std::pair<std::string, std::string>>{{"n", "1024"}});
  const Kernel kernel(std::move(description), std::move(problem),
                      models::load_device_profile(data_folder() / "configs/devices/h200.json"));
  write_modelled_journal(path, kernel, 400);
  if (slower == 1) return;
  JournalContent content = read_journal(path);
  std::filesystem::remove(path);
  JournalWriter writer(path, content.header);
  for (JournalTrial& trial : content.trials) {
    trial.time_ns *= slower;
    trial.low_ns *= slower;
    trial.high_ns *= slower;
    writer.finished(trial);
  }
}

void write_hostile_journal(const std::filesystem::path& path) {
  JournalHeader header;
  header.kernel = header.device = header.cache = header.tool = header.date = kHostile;
  header.problem = {{kHostile, std::string(kHostile)}};
  header.parameters = {kHostile};
  JournalWriter writer(path, header);
  for (const double time_ns : {1000.0, 2000.0, 0.0}) {
    JournalTrial trial;
    trial.config = {{kHostile, kHostile + std::to_string(time_ns)}};
    trial.time_ns = time_ns;
    trial.reason = kHostile;
    if (time_ns == 0) trial.status = search::Status::crash;
    writer.finished(trial);
  }
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    ++found;
  }
  return found;
}

TEST(ReportCommand, WritesThePageAndThePlots) {
  const TemporaryFolder folder;
  write_journal(folder / "run.jsonl");
  const Ran ran = run_tuner({"report", folder / "run.jsonl", "-o", folder / "report.html", "--svg",
                             folder / "plots", "--json", "-"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string html = read_file(folder / "report.html");
  EXPECT_THAT(html, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(html, HasSubstr("Occupancy against time"));
  const nlohmann::json plots = ran.json()["svg"];
  EXPECT_GE(plots.size(), 6U);
  for (const auto& path : plots) {
    EXPECT_THAT(read_file(path.get<std::string>()), HasSubstr("http://www.w3.org/2000/svg"));
  }
}

TEST(ReportCommand, WithoutVegaSaysWhatToInstall) {
  const TemporaryFolder folder;
  write_journal(folder / "run.jsonl");
  setenv("TUNER_VEGA", folder.path().c_str(), 1);
  const Ran ran = run_tuner({"report", folder / "run.jsonl", "-o", folder / "report.html"});
  unsetenv("TUNER_VEGA");
  ASSERT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("libjs-vega"));
  EXPECT_THAT(read_file(folder / "report.html"), HasSubstr("libjs-vega"));
  EXPECT_THAT(read_file(folder / "report.html"), HasSubstr("<svg"));
}

TEST(ReportCommand, RefusesWhatHoldsNoTimes) {
  const TemporaryFolder folder;
  const auto file = folder.write("device.json", R"({"schema": "tuner.device", "version": 1})");
  const Ran ran = run_tuner({"report", file, "-o", folder / "report.html"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("device.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "report.html"));
  EXPECT_EQ(run_tuner({"report", file}).code, 2) << "nothing to write";
}

TEST(ReportCommand, HostileNamesAreInertInTheTerminal) {
  const TemporaryFolder folder;
  write_hostile_journal(folder / "a.jsonl");
  const Ran report = run_tuner({"report", folder / "a.jsonl", "-o", folder / "a.html"});
  ASSERT_EQ(report.code, 0) << report.err;
  const Ran compared = run_tuner({"compare", folder / "a.jsonl", folder / "a.jsonl"});
  EXPECT_EQ(compared.code, 0);
  EXPECT_THAT(report.out + report.err + compared.out + compared.err, Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(read_file(folder / "a.html"), Not(HasSubstr("<img")));
}

TEST(CompareCommand, WritesAPage) {
  const TemporaryFolder folder;
  write_journal(folder / "a.jsonl");
  write_journal(folder / "b.jsonl", 1.5);
  const Ran ran = run_tuner(
      {"compare", folder / "a.jsonl", folder / "b.jsonl", "--html", folder / "compare.html"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read_file(folder / "compare.html"), HasSubstr("SLOWER"));
}

// In a headless Chromium, which says on its standard error what goes to the console.
class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "chromium is not installed (apt-get install chromium)";
    }
    if (!vega_script()) GTEST_SKIP() << "Vega is not installed (apt-get install libjs-vega)";
  }

  // The page's document once its scripts have run; what was logged and asked for over the network
  // goes to the files beside it.
  std::string open(const std::filesystem::path& page, const std::string& more = "--dump-dom") {
    const std::string command =
        "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-extensions "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--user-data-dir='" +
        (folder_ / "profile").string() + "' --log-net-log='" + (folder_ / "net").string() +
        "' --enable-logging=stderr --virtual-time-budget=20000 " + more + " 'file://" +
        page.string() + "' >'" + (folder_ / "dom").string() + "' 2>'" + (folder_ / "log").string() +
        "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder_ / "log");
    return read_file(folder_ / "dom");
  }

  // What the page asked for over the network. The browser has errands of its own, which belong to
  // no page.
  std::vector<std::string> requests() const {
    std::vector<std::string> found;
    std::ifstream log(folder_ / "net");
    for (std::string line; std::getline(log, line);) {
      const bool of_the_page = line.find("\"network_isolation_key\":\"file:") != std::string::npos;
      const std::size_t url = line.find("\"url\":\"http");
      if (of_the_page && url != std::string::npos) found.push_back(line.substr(url, 100));
    }
    return found;
  }

  void expect_quiet() const {
    EXPECT_THAT(read_file(folder_ / "log"), Not(HasSubstr("CONSOLE")));
    EXPECT_THAT(requests(), testing::IsEmpty());
  }

  static void expect_all_charts(const std::string& dom) {
    const std::size_t figures = count(dom, "data-chart=");
    EXPECT_GT(figures, 0U);
    EXPECT_THAT(dom, HasSubstr("data-charts=\"" + std::to_string(figures) + "\""));
    // Vega gives what it draws on this class.
    EXPECT_EQ(count(dom, "class=\"marks\""), figures);
  }

  const TemporaryFolder folder_;
};

TEST_F(Browser, ShowsEveryChartOfAReport) {
  write_journal(folder_ / "run.jsonl");
  ASSERT_EQ(run_tuner({"report", folder_ / "run.jsonl", "-o", folder_ / "report.html"}).code, 0);
  expect_all_charts(open(folder_ / "report.html"));
  expect_quiet();
}

// The report of a journal, with `script` run at its end; what `changed` does to it comes first.
class ChangedReport : public Browser {
 protected:
  std::filesystem::path page_with(const std::string& script, bool printed = false) {
    write_journal(folder_ / "run.jsonl");
    EXPECT_EQ(run_tuner({"report", folder_ / "run.jsonl", "-o", folder_ / "report.html"}).code, 0);
    std::string html = read_file(folder_ / "report.html");
    if (printed) {
      // What paper gets, on the screen.
      EXPECT_NE(html.find("@media print{"), std::string::npos);
      replace_all(html, "@media print{", "@media all{");
      replace_all(html, "@media screen", "@media speech");
    }
    replace_all(html, "</body>",
                "<pre id='seen'></pre><script>const see = text => { "
                "document.getElementById('seen').textContent += text + '\\n'; };" +
                    script + "</script></body>");
    return folder_.write("changed.html", html);
  }

  static std::string seen(const std::string& dom) {
    const std::string begin = "<pre id=\"seen\">";
    const std::size_t at = dom.find(begin);
    if (at == std::string::npos) return "nothing";
    return dom.substr(at + begin.size(), dom.find("</pre>", at) - at - begin.size());
  }

 private:
  static void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
      text.replace(at, what.size(), with);
    }
  }
};

constexpr const char* kPrefersDark = "--blink-settings=preferredColorScheme=0 --dump-dom";
constexpr const char* kTellColors =
    "const style = getComputedStyle(document.body); see(style.backgroundColor + ' ' + "
    "style.color);";

TEST_F(ChangedReport, FollowsThePreferenceForDarkAndItsButton) {
  const auto page = page_with(std::string(kTellColors) +
                              "document.getElementById('theme').click();"
                              "see(style.backgroundColor + ' ' + style.color);");
  EXPECT_EQ(seen(open(page)),
            "rgb(255, 255, 255) rgb(27, 31, 36)\nrgb(20, 23, 27) rgb(232, 234, 237)\n");
  EXPECT_EQ(seen(open(page, kPrefersDark)),
            "rgb(20, 23, 27) rgb(232, 234, 237)\nrgb(255, 255, 255) rgb(27, 31, 36)\n");
}

TEST_F(ChangedReport, IsPrintedBlackOnWhiteWithoutControls) {
  const auto page = page_with(
      std::string(kTellColors) +
          "const shown = node => node.offsetParent !== null;"
          "see([...document.querySelectorAll('button,input,.tools,#tip')].filter(shown).length);"
          "const wide = document.documentElement.clientWidth;"
          "see([...document.querySelectorAll('.plot svg,.plot canvas')].filter(plot =>"
          " plot.getBoundingClientRect().right > wide + 1"
          " || plot.getBoundingClientRect().height > 190 / 25.4 * 96 + 1).length);",
      true);
  const std::string expected = "rgb(255, 255, 255) rgb(0, 0, 0)\n0\n0\n";
  EXPECT_EQ(seen(open(page)), expected);
  EXPECT_EQ(seen(open(page, kPrefersDark)), expected);
}

// The browser takes its picture once the handlers of the event and what they left to microtasks are
// done: no timer may be needed.
TEST_F(ChangedReport, DrawsItsChartsInInkWhileItPrints) {
  const auto page = page_with(
      "const ink = async () => {"
      " for (let i = 0; i < 200; ++i) await null;"
      " const text = document.querySelector('.plot svg text');"
      " see(document.documentElement.dataset.theme + ' ' + (text && text.getAttribute('fill')));"
      "};"
      "(async () => {"
      " document.getElementById('theme').click();"
      " await ink();"
      " dispatchEvent(new Event('beforeprint'));"
      " await ink();"
      " dispatchEvent(new Event('afterprint'));"
      " await ink();"
      "})();");
  EXPECT_EQ(seen(open(page)), "dark #a3adb8\nlight #59636e\ndark #a3adb8\n");
}

TEST_F(ChangedReport, BecomesPagesOfAPdf) {
  write_journal(folder_ / "run.jsonl");
  ASSERT_EQ(run_tuner({"report", folder_ / "run.jsonl", "-o", folder_ / "report.html"}).code, 0);
  open(folder_ / "report.html", "--print-to-pdf='" + (folder_ / "report.pdf").string() + "'");
  const std::string pdf = read_file(folder_ / "report.pdf");
  EXPECT_THAT(pdf, testing::StartsWith("%PDF"));
  EXPECT_GE(count(pdf, "/Type /Page\n"), 2U);
}

// Every table's button gives a file with a heading line and all rows.
TEST_F(ChangedReport, SavesItsTablesAsCsv) {
  const auto page = page_with(
      "URL.createObjectURL = blob => { blob.text().then(text => see(text)); return '#'; };"
      "HTMLAnchorElement.prototype.click = function () { see('[file] ' + this.download); };"
      "for (const button of document.querySelectorAll('.csv')) button.click();");
  const std::string text = seen(open(page));
  EXPECT_EQ(count(text, "[file] "), count(read_file(page), "class='csv'"));
  EXPECT_THAT(text, HasSubstr("-trials.csv\n"));
  EXPECT_THAT(text, HasSubstr("trial,algorithm,TILE"));
  EXPECT_GT(count(text, "\n"), 400U) << "all trials, not only those that are shown";
}

// Else the silence of the others would say nothing.
TEST_F(Browser, IsHeardWhereAPageIsNotQuiet) {
  const auto page = folder_.write(
      "loud.html", "<img src='http://example.invalid/x.png'><script>console.log('loud')</script>");
  open(page);
  EXPECT_THAT(requests(), testing::Contains(HasSubstr("example.invalid")));
  EXPECT_THAT(read_file(folder_ / "log"), HasSubstr("CONSOLE"));
}

TEST_F(Browser, ShowsAComparison) {
  write_journal(folder_ / "a.jsonl");
  write_journal(folder_ / "b.jsonl", 1.5);
  ASSERT_EQ(run_tuner({"compare", folder_ / "a.jsonl", folder_ / "b.jsonl", "--html",
                       folder_ / "compare.html"})
                .code,
            0);
  expect_all_charts(open(folder_ / "compare.html"));
  expect_quiet();
}

TEST_F(Browser, RunsNothingOfHostileNames) {
  write_hostile_journal(folder_ / "run.jsonl");
  ASSERT_EQ(run_tuner({"report", folder_ / "run.jsonl", "-o", folder_ / "report.html"}).code, 0);
  const std::string dom = open(folder_ / "report.html");
  expect_all_charts(dom);
  EXPECT_THAT(dom, Not(HasSubstr("<img")));
  expect_quiet();
}

}  // namespace
}  // namespace tuner::cli
