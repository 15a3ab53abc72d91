// PyTorch's gather and index_select, where it is installed: a process of its own that times itself.
#pragma once

#include <memory>
#include <string>

#include "tests/bench/peers/comparison.h"

namespace tuner::bench {

struct TorchGather {
  std::int64_t n = 0;
  std::string pattern;  // as the kernel's axis
  std::string call;     // "gather" or "index_select"
  bool cold = false;
};

// nullptr where there is no PyTorch, with the reason in `problem`.
std::unique_ptr<Side> make_torch_side(const TorchGather& gather, std::string& problem);

}  // namespace tuner::bench
