// What a configuration launches, as C++ over the sizes of a problem and a device: for source that
// is generated. See Kernel::code().
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tuner {

// Texts are C++17 expressions over `p.<axis>` (sizes and numbers), `d.<name>` (the device names of
// docs/kernel-json.md), and the functions of the prelude that it stands behind
// (tuner/embed/prelude.cc): blocks_per_sm(d, threads, registers, static_shared, dynamic_shared)
// among them.
struct LaunchCode {
  std::string name;
  std::string when;  // boolean; "true" where it always runs
  bool memset = false;
  // kernel
  std::string entry;  // the C++ name expression, or the name of a plain kernel
  std::array<std::string, 3> grid, block, cluster;
  std::string dynamic_shared;
  bool cooperative = false;
  std::vector<std::string> arguments;  // names, in order
  // memset
  std::string target, bytes;
  int value = 0;
};

struct WorkspaceCode {
  std::string name, bytes;
  std::string init;  // as WorkspaceSpec::init
};

struct ScalarCode {
  std::string name, type, value;  // type: as C++ spells it
};

struct ConfigCode {
  std::string valid;  // all constraints
  std::vector<LaunchCode> launches;
  std::vector<WorkspaceCode> workspaces;  // of these launches
  std::vector<ScalarCode> scalars;        // of these launches
  std::vector<std::string> defines;       // "NAME=value", for plain kernels
  // The texts hold what was compiled, and are right for that compute capability alone.
  bool uses_compiled = false;
};

}  // namespace tuner
