// Splits host work over the cores.
#pragma once

#include <cstdint>
#include <functional>

namespace tuner {

// Calls body(begin, end) for pieces that cover 0 .. count-1, each `grain` long but the last, from
// as many threads as there are cores (the caller's among them, 16 at most). Returns when all are
// done; an exception of a piece is rethrown.
void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace tuner
