// What the outcome of an atomic operation decides: in reductions, say, which block is the last one
// and adds up what the others left. Pure.
#pragma once

#include <vector>

#include "tuner/ptx/function.h"

namespace tuner::ptx {

// By register: whether a value in it may follow from what an atomic operation returned, directly or
// by way of a variable in shared memory. Where in the kernel is not told apart.
std::vector<bool> follows_from_atomics(const Function& function);

}  // namespace tuner::ptx
