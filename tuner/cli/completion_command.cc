// tuner completion and tuner man: the command line for shells and for man(1).
#include <fmt/format.h>

#include <memory>

#include "tuner/cli/cli.h"
#include "tuner/cli/command.h"
#include "tuner/cli/command_tree.h"
#include "tuner/cli/device_option.h"
#include "tuner/kernel/kernel.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

CompletionWords completion_words() {
  CompletionWords words;
  for (const KernelDescription& kernel : built_in_kernels()) words.kernels.push_back(kernel.name);
  for (const models::DeviceProfile& profile : known_profiles()) words.devices.push_back(profile.id);
  words.devices.emplace_back("all");
  return words;
}

std::vector<CommandInfo> own_commands() {
  CLI::App app(kToolSummary, "tuner");
  CommonOptions common;
  Action action;
  declare_commands(app, common, action);
  return command_tree(app);
}

ExitCode complete(const std::string& shell, const Output& output) {
  const std::vector<CommandInfo> commands = own_commands();
  const CompletionWords words = completion_words();
  const std::string script = shell == "bash"  ? bash_completion(commands, words)
                             : shell == "zsh" ? zsh_completion(commands, words)
                                              : fish_completion(commands, words);
  output.text(script);
  output.json({{"shell", shell}, {"script", script}});
  return ExitCode::ok;
}

}  // namespace

Action declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell](const Output& output) { return complete(*shell, output); };
}

Action declare_man(CLI::App&) {
  return [](const Output& output) {
    const std::string page = manual_page(own_commands(), kToolSummary, tool_version());
    output.text(page);
    output.json({{"page", page}});
    return ExitCode::ok;
  };
}

}  // namespace tuner
