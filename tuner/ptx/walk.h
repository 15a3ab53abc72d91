// Follows one thread through a kernel with the launch's own arguments: how often it executes each
// instruction, and the addresses that it touches. Integers and predicates are computed as the GPU
// would; what memory holds, and so what depends on it, is unknown. Nothing is read or written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/ptx/function.h"
#include "tuner/ptx/loops.h"

namespace tuner::ptx {

// Pointers may be any distinct numbers that keep the buffers apart.
struct Launch {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::optional<std::int64_t>> arguments;  // bits, by parameter; nullopt: unknown
};

struct Place {
  std::array<std::int64_t, 3> block_index{};
  std::int64_t thread = 0;  // linear in its block
};

struct WalkLimits {
  std::int64_t steps = 4'000'000;  // instructions
  std::size_t addresses = 16;      // recorded of an instruction
};

inline constexpr std::int64_t kUnknownAddress = -1;
// Shared memory begins at 0; as a generic address, here.
inline constexpr std::int64_t kSharedWindow = std::int64_t{1} << 56;

struct Walk {
  std::vector<std::int64_t> executions;              // by instruction
  std::vector<std::vector<std::int64_t>> addresses;  // by instruction: of its first executions
  std::vector<std::vector<std::int64_t>> sources;    // of asynchronous copies: the other address
  std::vector<std::int64_t> copy_bytes;              // of bulk copies: the last size; 0 unknown
  // By loop: an exit of it hangs on what is unknown, or the steps ran out in it. It was then
  // followed through one iteration, or as far as the steps went.
  std::vector<bool> unknown_trips;
  std::int64_t unknown_branches = 0;  // forward ones, taken for not jumped
  // Likewise, but what an atomic operation returned decides: taken for the many threads' way, which
  // is to leave out what the last one does.
  std::int64_t atomic_branches = 0;
  bool complete = true;  // false: the steps ran out
};

struct WalkProgram;

// Thread-safe after construction; refers to the function.
class Walker {
 public:
  Walker(const Function& function, const ControlFlow& flow);
  ~Walker();
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  Walk walk(const Launch& launch, const Place& place, const WalkLimits& limits) const;

 private:
  const Function& function_;
  const ControlFlow& flow_;
  std::unique_ptr<const WalkProgram> program_;
};

}  // namespace tuner::ptx
