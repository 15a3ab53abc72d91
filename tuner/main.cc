// The executable. The only place where a TunerError becomes an exit code.
#include <exception>
#include <iostream>

#include "expr/error.h"
#include "tuner/cli/cli.h"

int main(int argc, char** argv) {
  try {
    return tuner::run_command_line(argc, argv);
  } catch (const tuner::TunerError& error) {
    std::cerr << "tuner: " << tuner::error_text(error.what()) << '\n';
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    std::cerr << "tuner: internal error: " << tuner::error_text(error.what()) << '\n';
    return 1;
  }
}
