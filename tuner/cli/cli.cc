#include "tuner/cli/cli.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "tuner/cli/command.h"
#include "tuner/cli/suggest.h"
#include "tuner/compile/compiler.h"
#include "tuner/os/paths.h"
#include "tuner/report/escape.h"
#include "tuner/worker/run_once.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

// Everything but results goes to stderr; colours there only on a terminal without NO_COLOR.
void set_up_log() {
  auto logger = spdlog::stderr_color_mt("tuner");
  logger->set_pattern("%^%l%$: %v");
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void apply_to_log(const CommonOptions& options) {
  if (options.verbose) spdlog::set_level(spdlog::level::debug);
  if (options.quiet) spdlog::set_level(spdlog::level::warn);
  const char* no_color = std::getenv("NO_COLOR");
  const bool never = options.color == "never" ||
                     (options.color == "auto" && no_color != nullptr && *no_color != '\0');
  if (!never && options.color != "always") return;
  auto* sink = dynamic_cast<spdlog::sinks::stderr_color_sink_mt*>(
      spdlog::default_logger()->sinks().front().get());
  if (sink != nullptr) {
    sink->set_color_mode(never ? spdlog::color_mode::never : spdlog::color_mode::always);
  }
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--json", options.json, "write the result as JSON to FILE, or to stdout (-)")
      ->type_name("FILE|-");
  app.add_option("--color", options.color, "auto, always or never (NO_COLOR is heeded)")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "say more on stderr");
  app.add_flag("-q,--quiet", options.quiet, "only warnings and errors on stderr")
      ->excludes(verbose);
}

void check_command_name(const std::vector<std::string>& words) {
  if (words.empty()) throw TunerError("which command? See tuner --help");
  const std::string& name = words.front();
  if (name.starts_with('-')) return;
  std::vector<std::string> known;
  for (const Command& command : commands()) known.emplace_back(command.name);
  if (std::ranges::find(known, name) != known.end()) return;
  throw TunerError(
      fmt::format("there is no command {}{}; see tuner --help", name, did_you_mean(name, known)));
}

// CLI11 says which words are left over; what they were meant to be, it does not.
[[noreturn]] void fail_usage(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  std::string hint;
  for (const std::string& word : app.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    if (hint.empty() && name.starts_with("--")) hint = did_you_mean(name, known);
  }
  throw TunerError(fmt::format("{}{}; see {} --help", error.what(), hint,
                               parsed.empty() ? "tuner" : "tuner " + command.get_name()));
}

}  // namespace

void declare_commands(CLI::App& app, CommonOptions& common, Action& action) {
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    const Action run = command.declare(*sub);
    add_common_options(*sub, common);
    sub->callback([&action, run] { action = run; });
  }
}

int run_command_line(int argc, char** argv) {
  set_up_log();
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "compile-process") return run_compile_process();
  if (!words.empty() && words.front() == "worker-process") return run_worker_process();
  if (words.size() == 2 && words.front() == "run-once") return run_once(words.back());

  check_command_name(words);
  CLI::App app(kToolSummary, "tuner");
  app.set_version_flag("--version", "tuner " + tool_version());
  app.require_subcommand(1);
  CommonOptions common;
  Action action;
  declare_commands(app, common, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    fail_usage(app, error);
  }
  apply_to_log(common);
  return static_cast<int>(action(Output(common)));
}

std::string error_text(std::string_view what) {
  std::string text;
  for (std::size_t at = 0; at <= what.size();) {
    const std::size_t end = std::min(what.find('\n', at), what.size());
    text += (at == 0 ? "" : "\n") + terminal_safe(what.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

}  // namespace tuner
