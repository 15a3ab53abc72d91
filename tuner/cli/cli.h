// The command line: finds the command, parses its options, runs it.
#pragma once

namespace tuner {

// Returns the exit code. Throws TunerError (ExitCode::bad_input for usage errors). The processes
// that the tuner starts of itself are dispatched here too, before anything is parsed.
int run_command_line(int argc, char** argv);

}  // namespace tuner
