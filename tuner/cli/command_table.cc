#include <array>

#include "tuner/cli/command.h"

namespace tuner {

std::span<const Command> commands() {
  static constexpr std::array<Command, 10> kCommands = {{
      {"tune", "finds, verifies and keeps the fastest configuration of a kernel", declare_tune},
      {"show", "the configuration for a problem on a GPU, and how well it fits", declare_show},
      {"export", "writes tuned configurations as a C++ header for other programs", declare_export},
      {"record", "measures a whole space, dropping nothing, into a recording", declare_record},
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
  }};
  return kCommands;
}

}  // namespace tuner
