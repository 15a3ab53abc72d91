#include <fmt/format.h>

#include "tuner/cli/command_tree.h"

namespace tuner {
namespace {

// Hyphens are minus signs here, and a line may not begin with a dot or a quote.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  if (!result.empty() && (result.front() == '.' || result.front() == '\'')) result.insert(0, "\\&");
  return result;
}

std::string option_text(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  std::string text = fmt::format(".TP\n{}\n{}", names, roff(option.help));
  if (!option.choices.empty()) {
    text += fmt::format(" ({})", roff(fmt::format("{}", fmt::join(option.choices, ", "))));
  }
  return text + "\n";
}

}  // namespace

std::string manual_page(const std::vector<CommandInfo>& commands, const std::string& summary,
                        const std::string& version) {
  std::string page = fmt::format(
      ".TH TUNER 1 \"\" \"tuner {}\"\n.SH NAME\ntuner \\- {}\n.SH SYNOPSIS\n.B tuner\n"
      "\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n{}\n",
      roff(version), roff(summary), roff(summary));
  for (const CommandInfo& command : commands) {
    page += fmt::format(".SH \"tuner {}\"\n{}\n", roff(command.name), roff(command.help));
    if (!command.positional.empty()) {
      page += fmt::format(".PP\n\\fBtuner {}\\fR \\fI{}\\fR [\\fIOPTION\\fR...]\n",
                          roff(command.name), roff(command.positional));
    }
    for (const OptionInfo& option : command.options) page += option_text(option);
  }
  page +=
      ".SH EXIT STATUS\n"
      ".TP\n0\ndone; reaching \\fB\\-\\-budget\\fR or \\fB\\-\\-time\\fR is done, too\n"
      ".TP\n2\nusage, or a file or value that cannot be used\n"
      ".TP\n3\nno valid configuration\n"
      ".TP\n4\nno GPU, no driver, or no NVRTC\n"
      ".TP\n5\nended early by an interrupt or a lost GPU; results so far are kept\n"
      ".TP\n130\ninterrupted, with nothing to keep\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B TUNER_CONFIGS\nfolder of tuned results where \\fB\\-\\-configs\\fR is not given\n"
      ".TP\n.B TUNER_CUDA_HOME\nthe only place where NVRTC and the CUDA headers are looked for\n"
      ".TP\n.B XDG_CACHE_HOME, XDG_DATA_HOME\nwhere compiled kernels, and results and journals, "
      "are kept\n"
      ".TP\n.B NO_COLOR\nno colours, unless \\fB\\-\\-color always\\fR\n";
  return page;
}

}  // namespace tuner
