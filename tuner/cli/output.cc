#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "tuner/cli/command.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

// https://no-color.org: any value that is not empty.
bool wants_color(const std::string& option) {
  if (option != "auto") return option == "always";
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

Output::Output(const CommonOptions& options)
    : json_(options.json), color_(wants_color(options.color)) {
  // Now, and not after an hour of measuring.
  if (!json_.empty() && json_ != "-") check_writable(json_);
}

void Output::text(const std::string& text) const {
  if (json_ != "-") std::cout << text << std::flush;
}

void Output::json(const nlohmann::ordered_json& json) const {
  if (json_.empty()) return;
  const std::string text = json.dump(2) + '\n';
  if (json_ != "-") {
    write_file_atomically(json_, text);
    return;
  }
  std::cout << text << std::flush;
  if (!std::cout) throw TunerError("--json -: standard output cannot be written to");
}

}  // namespace tuner
