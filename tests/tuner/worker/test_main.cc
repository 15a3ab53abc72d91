// The tests' executable is also what they start, as tuner itself is.
#include <gtest/gtest.h>

#include <string>

#include "tuner/compile/compiler.h"
#include "tuner/worker/worker.h"

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "worker-process") return tuner::run_worker_process();
  if (mode == "compile-process") return tuner::run_compile_process();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
