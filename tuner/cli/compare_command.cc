// tuner compare: what became faster or slower from one measured file to another.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "tuner/cli/command.h"
#include "tuner/cli/report_page.h"
#include "tuner/os/files.h"
#include "tuner/report/comparison.h"
#include "tuner/report/escape.h"
#include "tuner/report/table.h"
#include "tuner/report/vega_library.h"
#include "tuner/store/measured_file.h"

namespace tuner {
namespace {

MeasuredTimes times_of(const MeasuredFile& file) {
  MeasuredTimes times;
  for (const FileTime& one : file.times) times[one.what] = {one.time_ns, one.low_ns, one.high_ns};
  return times;
}

nlohmann::ordered_json to_json(const TimeComparison& comparison) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ComparedTime& one : comparison.both) {
    rows.push_back({{"what", one.what},
                    {"first_ns", one.first.time_ns},
                    {"second_ns", one.second.time_ns},
                    {"ratio", one.ratio},
                    {"low", one.low},
                    {"high", one.high},
                    {"change", to_string(one.change)}});
  }
  return {{"geometric_mean", comparison.geometric_mean},
          {"compared", rows},
          {"only_first", comparison.only_first},
          {"only_second", comparison.only_second}};
}

std::string to_text(const TimeComparison& comparison, bool color) {
  Table table({{"measured"},
               {"first us", Align::right},
               {"second us", Align::right},
               {"second / first", Align::right},
               {""}});
  for (const ComparedTime& one : comparison.both) {
    table.add({one.what, fmt::format("{:.4g}", one.first.time_ns * 1e-3),
               fmt::format("{:.4g}", one.second.time_ns * 1e-3),
               fmt::format("{:.3f} ({:.3f} to {:.3f})", one.ratio, one.low, one.high),
               to_string(one.change)});
  }
  std::string text = table.render(color);
  text += fmt::format(
      "{} faster, {} slower, {} the same, {} unsure; geometric mean of the ratios {:.3f}\n",
      comparison.count(Change::faster), comparison.count(Change::slower),
      comparison.count(Change::same), comparison.count(Change::unsure), comparison.geometric_mean);
  const auto only = [&](const char* which, const std::vector<std::string>& names) {
    if (!names.empty())
      text += fmt::format("only in the {}: {}\n", which,
                          terminal_safe(fmt::format("{}", fmt::join(names, "; "))));
  };
  only("first", comparison.only_first);
  only("second", comparison.only_second);
  return text;
}

ExitCode run(const std::string& first, const std::string& second, const std::string& html,
             const Output& output) {
  if (!html.empty()) check_writable(html);
  const MeasuredFile a = load_measured_file(first), b = load_measured_file(second);
  if (a.kernel != b.kernel) {
    throw TunerError(
        fmt::format("{} is about the kernel {}, {} about {}", first, a.kernel, second, b.kernel));
  }
  if ((a.kind == "tuner.result") != (b.kind == "tuner.result")) {
    throw TunerError(fmt::format("{} holds a {}, {} a {}: winners do not compare with trials",
                                 first, a.kind, second, b.kind));
  }
  const TimeComparison comparison = compare_times(times_of(a), times_of(b));
  if (comparison.both.empty()) spdlog::warn("The two have nothing in common.");
  output.text(to_text(comparison, output.color()));
  output.json(to_json(comparison));
  if (!html.empty()) {
    write_file_atomically(html,
                          comparison_page(a.kernel, first, second, comparison).html(vega_script()));
  }
  return ExitCode::ok;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  struct Files {
    std::string first, second, html;
  };
  auto files = std::make_shared<Files>();
  const char* what = "a tuned result, a journal or a recording";
  app.add_option("FIRST", files->first, what)->required();
  app.add_option("SECOND", files->second, what)->required();
  app.add_option("--html", files->html, "also as a page, all in one file")->type_name("FILE");
  return [files](const Output& output) {
    return run(files->first, files->second, files->html, output);
  };
}

}  // namespace tuner
