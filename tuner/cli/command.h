// One command of the tuner, and what all of them share: where machine output goes, colours, logs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "expr/error.h"

namespace tuner {

// The options that every command has.
struct CommonOptions {
  std::string json;            // file, "-" for stdout, empty for none
  std::string color = "auto";  // auto, always, never
  bool verbose = false;
  bool quiet = false;
};

// Where a command's results go. With `--json -`, stdout carries the JSON and nothing else.
class Output {
 public:
  // Throws TunerError where the file of --json cannot be written.
  explicit Output(const CommonOptions& options);

  bool color() const { return color_; }
  // For people, on stdout; dropped where stdout is for machines.
  void text(const std::string& text) const;
  // Written where --json says; dropped where it says nothing. Throws TunerError where it cannot be.
  void json(const nlohmann::ordered_json& json) const;

 private:
  std::string json_;
  bool color_ = false;
};

using Action = std::function<ExitCode(const Output&)>;

struct Command {
  const char* name;
  const char* summary;  // one line, for --help
  // Adds the command's options to `app` and returns what runs it once they are parsed.
  Action (*declare)(CLI::App& app);
};

// In the order of --help.
std::span<const Command> commands();

// One for each command; defined in <name>_command.cc.
Action declare_tune(CLI::App& app);
Action declare_show(CLI::App& app);
Action declare_record(CLI::App& app);
Action declare_list(CLI::App& app);
Action declare_space(CLI::App& app);
Action declare_info(CLI::App& app);
Action declare_doctor(CLI::App& app);
Action declare_occupancy(CLI::App& app);
Action declare_explain(CLI::App& app);
Action declare_export(CLI::App& app);
Action declare_compare(CLI::App& app);
Action declare_report(CLI::App& app);
Action declare_study(CLI::App& app);
Action declare_lab(CLI::App& app);
Action declare_calibrate(CLI::App& app);
Action declare_evaluate(CLI::App& app);
Action declare_completion(CLI::App& app);
Action declare_man(CLI::App& app);

}  // namespace tuner
