#include <fmt/format.h>

#include "tuner/cli/command_tree.h"

namespace tuner {
namespace {

bool takes_kernel(const CommandInfo& command) { return command.positional == "KERNEL"; }

bool is_device(const OptionInfo& option) { return option.names.back() == "--device"; }

// What an option's value may be; empty where it is a file, a number or whatever.
std::vector<std::string> values_of(const OptionInfo& option, const CompletionWords& words) {
  return is_device(option) ? words.devices : option.choices;
}

std::string escaped(std::string_view text, std::string_view special, std::string_view by) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += by;
    result += c;
  }
  return result;
}

// Within single quotes of zsh, in a specification that gives [ ] and : a meaning.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : escaped(text, "[]:\\", "\\"))
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result;
}

std::string zsh_action(const std::vector<std::string>& values) {
  return values.empty() ? "_files" : fmt::format("({})", fmt::join(values, " "));
}

}  // namespace

std::string bash_completion(const std::vector<CommandInfo>& commands,
                            const CompletionWords& words) {
  std::string names, cases;
  for (const CommandInfo& command : commands) {
    names += command.name + " ";
    std::string options, values;
    for (const OptionInfo& option : command.options) {
      for (const std::string& name : option.names) options += name + " ";
      if (option.value.empty()) continue;
      const auto known = values_of(option, words);
      values += fmt::format("        {}) {};;\n", fmt::join(option.names, "|"),
                            known.empty()
                                ? "COMPREPLY=($(compgen -f -- \"$cur\")); return "
                                : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ",
                                              fmt::join(known, " ")));
    }
    cases += fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n      options='{}'\n",
                         command.name, values, options);
    if (takes_kernel(command)) {
      cases += fmt::format("      words='{}'\n", fmt::join(words.kernels, " "));
    }
    cases += "      ;;\n";
  }
  return fmt::format(R"bash(# bash completion for tuner; written by `tuner completion bash`.
_tuner() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" options='' words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}--help --version' -- "$cur"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _tuner tuner
)bash",
                     names, cases);
}

std::string zsh_completion(const std::vector<CommandInfo>& commands, const CompletionWords& words) {
  std::string names, cases;
  for (const CommandInfo& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.help));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionInfo& option : command.options) {
      for (const std::string& name : option.names) {
        const std::string value = option.value.empty()
                                      ? ""
                                      : fmt::format(":{}:{}", zsh_text(option.value),
                                                    zsh_action(values_of(option, words)));
        cases += fmt::format(" \\\n        '*{}[{}]{}'", name, zsh_text(option.help), value);
      }
    }
    if (takes_kernel(command)) {
      cases +=
          fmt::format(" \\\n        '*:KERNEL:_alternative \"k:kernel:({})\" \"f:file:_files\"'",
                      fmt::join(words.kernels, " "));
    } else if (!command.positional.empty()) {
      cases += fmt::format(" \\\n        '*:{}:_files'", command.positional);
    }
    cases += "\n      ;;\n";
  }
  return fmt::format(R"zsh(#compdef tuner
# zsh completion for tuner; written by `tuner completion zsh`.
_tuner() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_tuner "$@"
)zsh",
                     names, cases);
}

std::string fish_completion(const std::vector<CommandInfo>& commands,
                            const CompletionWords& words) {
  const auto quoted = [](std::string_view text) { return "'" + escaped(text, "'\\", "\\") + "'"; };
  std::string script = "# fish completion for tuner; written by `tuner completion fish`.\n";
  for (const CommandInfo& command : commands) {
    script += fmt::format("complete -c tuner -n __fish_use_subcommand -f -a {} -d {}\n",
                          command.name, quoted(command.help));
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    if (takes_kernel(command)) {
      script += fmt::format("complete -c tuner {} -a {}\n", when,
                            quoted(fmt::format("{}", fmt::join(words.kernels, " "))));
    }
    for (const OptionInfo& option : command.options) {
      script += fmt::format("complete -c tuner {}", when);
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const auto values = values_of(option, words);
      if (!values.empty()) {
        script += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(values, " "))));
      } else if (!option.value.empty()) {
        script += " -r";
      }
      script += fmt::format(" -d {}\n", quoted(option.help));
    }
  }
  return script;
}

}  // namespace tuner
