// A pool on compile_test_process, and kernels in a folder of the test's own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/compile/compiler.h"

namespace tuner {

// Every statement 262,144 times: the compiler is busy with it for minutes.
inline constexpr const char* kEndlessSource = R"(
#define A(s) s s s s s s s s
#define B(s) A(A(A(s)))
extern "C" __global__ void endless(int* p) {
  int x = p[threadIdx.x];
  B(B(x = x * (x + 3) ^ p[x & 255]; if (x & 1) p[x & 7] = x;))
  p[0] = x;
}
)";

class PoolTest : public testing::Test {
 protected:
  static constexpr int kArchitecture = 90;

  std::unique_ptr<Compiler> make_pool(std::vector<std::string> arguments = {"compile-process"},
                                      int processes = 1) const {
    CompilerPoolOptions options;
    options.processes = processes;
    options.cache_folder = folder_ / "cubins";
    arguments.insert(arguments.begin(), TEST_PROCESS);
    options.process_argv = std::move(arguments);
    return make_compiler_pool(options);
  }

  CompileJob job(const std::string& source, std::vector<std::string> entries) const {
    CompileJob result;
    result.source = folder_.write("kernel.cu", source);
    result.entries = std::move(entries);
    result.architecture = kArchitecture;
    return result;
  }

  CompileJob endless_job() const {
    CompileJob result = job("", {"endless"});
    result.source = folder_.write("endless.cu", kEndlessSource);
    return result;
  }

  TemporaryFolder folder_;
};

#define EXPECT_COMPILED(result) \
  EXPECT_EQ((result).status, CompileResult::Status::ok) << (result).reason

}  // namespace tuner
