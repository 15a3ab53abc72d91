// The command line: finds the command, parses its options, runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "tuner/cli/command.h"

namespace tuner {

inline constexpr const char* kToolSummary =
    "Finds, proves and keeps the fastest launch configuration of a CUDA kernel.";

// Adds every command, with the options that all have, to `app`. Parsing sets `common`, and `action`
// to what runs the command; both must outlive `app`.
void declare_commands(CLI::App& app, CommonOptions& common, Action& action);

// Returns the exit code. Throws TunerError (ExitCode::bad_input for usage errors). The processes
// that the tuner starts of itself are dispatched here too, before anything is parsed.
int run_command_line(int argc, char** argv);

// `what` for a terminal: as it is, but for control characters other than ends of lines. Messages
// may quote names from files.
std::string error_text(std::string_view what);

}  // namespace tuner
