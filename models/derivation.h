// What was found out about a kernel from its compiled code, for people: where the counts and
// accesses of a LaunchShape come from when no model was written. Plain data.
#pragma once

#include <string>
#include <vector>

namespace tuner::models {

// One iteration, without what inner loops do; counts of one thread, bytes that it asks for.
struct DerivedLoop {
  int depth = 1;  // of nesting, 1 outermost
  int instructions = 0;
  double fma = 0;  // FMAs, additions and multiplications of floating point
  double global_load_bytes = 0, global_store_bytes = 0;
  double shared_load_bytes = 0, shared_store_bytes = 0;
  double iterations = 0;         // a thread runs over its life
  bool iterations_known = true;  // false: taken from the work declared, see the notes
};

struct Derivation {
  std::vector<DerivedLoop> loops;                    // an outer one before those in it
  std::vector<std::string> known, assumed, unknown;  // sentences without a full stop
};

}  // namespace tuner::models
