#include "tuner/cli/command_tree.h"

#include <algorithm>

namespace tuner {
namespace {

// CLI11 describes a list of choices as "TEXT:{cold,warm}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  std::string word;
  for (const char c : type.substr(open + 1, close - open - 1) + ",") {
    if (c != ',') {
      word += c;
    } else if (!word.empty()) {
      choices.push_back(std::exchange(word, {}));
    }
  }
  return choices;
}

OptionInfo option_info(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.help = option.get_description();
  if (option.get_items_expected_max() == 0) return info;  // a flag
  const std::string type = option.get_type_name();
  info.choices = choices_of(type);
  info.value = type.substr(0, type.find_first_of(":={ "));
  if (info.value.empty() || info.value == "TEXT") info.value = "VALUE";
  if (info.value == "FLOAT" || info.value == "INT" || info.value == "UINT") info.value = "N";
  return info;
}

CommandInfo command_info(const CLI::App& command) {
  CommandInfo info;
  info.name = command.get_name();
  info.help = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      info.positional += (info.positional.empty() ? "" : " ") + option->get_single_name();
    } else {
      info.options.push_back(option_info(*option));
    }
  }
  return info;
}

}  // namespace

std::vector<CommandInfo> command_tree(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command_info(*command));
  }
  return commands;
}

}  // namespace tuner
