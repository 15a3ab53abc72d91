// Kernels of tests/faults, compiled for the GPU that is there, and a worker to measure them with.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/worker/worker.h"

namespace tuner {

// Skipped where there is no GPU, unless TUNER_REQUIRE_GPU is set to 1: then they fail.
class GpuTest : public testing::Test {
 protected:
  static constexpr std::int64_t kCount = (std::int64_t{1} << 20) + 7;  // no multiple of any block
  static constexpr double kFactor = 2.5;

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  static const LiveDevice& device() { return shared_->device; }
  // Of a file in tests/faults, compiled when first asked for.
  static std::string cubin(const std::string& file);
  // The lowered name of its first symbol.
  static std::string symbol(const std::string& file);

  // x uniform in -1..1, y an output (or, where `inout`, 1..2 at first); the reference is `entry`.
  static MeasureSetup setup(const std::string& entry = "reference", bool inout = false);
  static BufferSpec buffer(const std::string& name, const std::string& element, std::int64_t count,
                           bool input, bool output);
  static LaunchArgument argument(LaunchArgument::Kind kind, const std::string& name);
  static LaunchArgument scalar(const std::string& name, const std::string& type,
                               const Value& value);
  // One step with the arguments (x, y, n, a) and blocks of 256 threads.
  static LaunchStep step(const std::string& entry);
  // Kernel `entry` of `file`.cu, in one step().
  static MeasureJob job(const std::string& file, const std::string& entry);
  static MeasureJob good() { return job("good", "good"); }

 private:
  static const CompileResult& compiled(const std::string& file);

  struct Shared {
    LiveDevice device;
    std::unique_ptr<Compiler> compiler;
    std::map<std::string, CompileResult> compiled;  // by file
  };
  static std::unique_ptr<Shared> shared_;
  static std::string problem_;
};

// "ok", or the status with the reason.
inline std::string outcome(const MeasureResult& result) {
  return result.reason.empty() ? result.status : result.status + ": " + result.reason;
}

}  // namespace tuner
