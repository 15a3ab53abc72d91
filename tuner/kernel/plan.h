// What running a configuration takes, with every expression evaluated: buffers, launches, checks.
// Plain data that measuring, and programs that launch tuned kernels, share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "expr/value.h"

namespace tuner {

// How a buffer gets its values. Kinds: "uniform" (low..high), "normal" (mean low, deviation high),
// "constant" (low), "index" (i), "permutation" (a shuffled 0..count-1), "clustered" (a permutation
// shuffled within runs of `run` elements), "file" (raw little-endian elements). Values are made on
// the host by a counter-based generator from `seed`: the same on every machine.
struct BufferInit {
  std::string kind = "uniform";
  double low = 0, high = 1;
  std::uint64_t seed = 0;
  std::int64_t run = 0;
  std::string file;
};

struct BufferSpec {
  std::string name;
  std::string element = "f32";  // short type name
  std::int64_t count = 0;       // elements
  bool input = true;            // holds `init` before a run
  bool output = false;          // checked after a run; poisoned before it where not an input
  BufferInit init;
};

// Memory of a configuration's own. `init`: "never" (poisoned), "once" (zeroed when allocated),
// "each_run" (zeroed before every run, and that is timed).
struct WorkspaceSpec {
  std::string name;
  std::int64_t bytes = 0;
  std::string init = "never";
};

// A __constant__ or __device__ variable that is filled from a buffer's values before the runs.
struct SymbolSpec {
  std::string lowered_name;
  std::string buffer;  // BufferSpec that holds the values
};

// A tensor map (CUtensorMap) over a buffer, built by the process for the launch.
struct TensorMapSpec {
  std::string buffer;
  std::vector<std::int64_t> sizes;    // elements, fastest dimension first
  std::vector<std::int64_t> strides;  // bytes, of dimension 1 and up
  std::vector<std::int64_t> box;      // elements
  std::string swizzle = "none";       // none 32 64 128
};

struct LaunchArgument {
  enum class Kind { buffer, reference_output, workspace, scalar, tensor_map } kind = Kind::scalar;
  std::string name;               // buffer or workspace
  std::string type = "i64";       // scalar: short type name
  Value value = std::int64_t{0};  // scalar
  TensorMapSpec tensor_map;
};

struct LaunchStep {
  enum class Kind { kernel, memset } kind = Kind::kernel;
  std::string lowered_name;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool cooperative = false;
  std::int64_t dynamic_shared = 0;
  std::vector<LaunchArgument> arguments;
  std::string memset_target;  // buffer or workspace
  std::int64_t memset_bytes = 0;
  int memset_value = 0;  // byte
};

// Chosen elements of an output computed on the CPU in double: `expected` is an expression over i
// (the element index), the named loads in order, and `scalars`.
struct ElementCheck {
  struct Load {
    std::string name, buffer, index;  // index: expression over i, earlier loads and scalars
  };
  std::string output;
  std::string expected;
  std::vector<Load> loads;
  std::vector<std::pair<std::string, Value>> scalars;
  std::int64_t samples = 4096;  // first, last and random elements between
};

}  // namespace tuner
