#include <array>

#include "tuner/cli/command.h"

namespace tuner {

std::span<const Command> commands() {
  static constexpr std::array<Command, 18> kCommands = {{
      {"tune", "finds, verifies and keeps the fastest configuration of a kernel", declare_tune},
      {"show", "the configuration for a problem on a GPU, and how well it fits", declare_show},
      {"export", "writes tuned configurations as a C++ header for other programs", declare_export},
      {"record", "measures a whole space, dropping nothing, into a recording", declare_record},
      {"compare", "what became faster or slower from one measured file to another",
       declare_compare},
      {"report", "journals, recordings and tuned results as one HTML page, or as plots",
       declare_report},
      {"study", "occupancy against instruction-level parallelism, measured and predicted",
       declare_study},
      {"lab", "the classic experiments: coalescing, occupancy, bank conflicts and others",
       declare_lab},
      {"calibrate", "measures the rates of this GPU that the model reckons with",
       declare_calibrate},
      {"evaluate", "how well the model orders recorded spaces", declare_evaluate},
      {"list", "the kernels that come with the tuner", declare_list},
      {"space", "the configurations of a kernel: parameters, and how many are valid",
       declare_space},
      {"info", "the device's limits and rates, the compiler, and where files are", declare_info},
      {"doctor", "checks what the tuner needs, and says what to do where something is missing",
       declare_doctor},
      {"occupancy", "how many blocks and warps a SM holds, and what limits them; needs no GPU",
       declare_occupancy},
      {"explain", "compiles one configuration and says why it runs as it does; needs no GPU",
       declare_explain},
      {"completion", "a script that completes commands and options in bash, zsh or fish",
       declare_completion},
      {"man", "the manual page, for man -l -", declare_man},
  }};
  return kCommands;
}

}  // namespace tuner
