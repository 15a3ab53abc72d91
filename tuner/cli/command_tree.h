// The command line as data: what completions and the manual page are made of, so that they cannot
// say anything else than --help does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tuner {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; the long ones last
  std::string help;
  std::string value;                 // "FILE"; empty for a flag
  std::vector<std::string> choices;  // all that it takes; empty where it takes anything
};

struct CommandInfo {
  std::string name, help;
  std::string positional;  // "KERNEL", "FIRST SECOND"; empty where it takes none
  std::vector<OptionInfo> options;
};

// Of an app whose subcommands are declared. In the order of --help.
std::vector<CommandInfo> command_tree(const CLI::App& app);

// Scripts for the shells, and the manual page. `kernels` and `devices` complete KERNEL and
// --device.
struct CompletionWords {
  std::vector<std::string> kernels, devices;
};
std::string bash_completion(const std::vector<CommandInfo>& commands, const CompletionWords& words);
std::string zsh_completion(const std::vector<CommandInfo>& commands, const CompletionWords& words);
std::string fish_completion(const std::vector<CommandInfo>& commands, const CompletionWords& words);
std::string manual_page(const std::vector<CommandInfo>& commands, const std::string& summary,
                        const std::string& version);

}  // namespace tuner
