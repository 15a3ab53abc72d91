// The micro-kernels of the calibration, compiled: nothing spills, and the loops hold what is timed.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/nvrtc.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/calibrate.h"

namespace tuner {
namespace {

models::DeviceProfile h200() {
  return models::load_device_profile(data_folder() / "configs/devices/h200.json");
}

class CalibrationKernels : public testing::TestWithParam<int> {};

TEST_P(CalibrationKernels, CompileWithoutSpills) {
  const std::vector<int> known = nvrtc_info().architectures;
  if (std::ranges::find(known, GetParam()) == known.end()) GTEST_SKIP() << "not known to NVRTC";
  const TemporaryFolder folder;
  CompilerPoolOptions options;
  options.cache_folder = folder / "cubins";
  const auto compiler = make_in_process_compiler(options);
  for (CompileJob& job : calibration_compile_jobs(calibration_plan(h200()), GetParam())) {
    const CompileResult result = compile_and_wait(*compiler, std::move(job));
    ASSERT_EQ(result.status, CompileResult::Status::ok) << result.reason;
    for (const EntryFacts& facts : result.entries) {
      EXPECT_EQ(facts.spill_store_bytes + facts.spill_load_bytes + facts.stack_bytes, 0)
          << facts.entry;
      EXPECT_LE(facts.registers, 64) << facts.entry << " would not run 1024 threads a block";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CalibrationKernels, testing::Values(75, 80, 90, 120));

// NVRTC's PTX, which the tuner itself has no use for.
class Ptx {
 public:
  Ptx(const std::string& source, const std::vector<std::string>& entries) : nvrtc_(find_nvrtc()) {
    nvrtcProgram program = nullptr;
    nvrtc_.create_program(&program, source.c_str(), "calibrate.cu", 0, nullptr, nullptr);
    for (const std::string& entry : entries) nvrtc_.add_name_expression(program, entry.c_str());
    const char* options[] = {"--std=c++17", "--gpu-architecture=compute_90"};
    EXPECT_EQ(nvrtc_.compile_program(program, 2, options), NVRTC_SUCCESS);
    std::size_t size = 0;
    function<decltype(&::nvrtcGetPTXSize)>("nvrtcGetPTXSize")(program, &size);
    text_.resize(size);
    function<decltype(&::nvrtcGetPTX)>("nvrtcGetPTX")(program, text_.data());
    for (const std::string& entry : entries) {
      const char* lowered = "";
      nvrtc_.get_lowered_name(program, entry.c_str(), &lowered);
      names_[entry] = lowered;
    }
    nvrtc_.destroy_program(&program);
  }

  // How often `instruction` stands in the kernel.
  int count(const std::string& entry, const std::string& instruction) const {
    const std::size_t begin = text_.find(".entry " + names_.at(entry) + "(");
    EXPECT_NE(begin, std::string::npos) << entry;
    const std::string body = text_.substr(begin, text_.find(".entry ", begin + 1) - begin);
    int found = 0;
    for (std::size_t at = body.find(instruction); at != std::string::npos;
         at = body.find(instruction, at + 1)) {
      ++found;
    }
    return found;
  }

 private:
  template <typename Function>
  Function function(const char* name) const {
    void* library = ::dlopen(nvrtc_.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function>(::dlsym(library, name));
  }

  Nvrtc nvrtc_;
  std::string text_;
  std::map<std::string, std::string> names_;
};

struct Expected {
  std::string entry, instruction;
  int least;
};

void expect_instructions(const char* file, const std::vector<Expected>& all) {
  std::ifstream stream(data_folder() / "kernels_src" / "calibrate" / file);
  const std::string source{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::string> entries;
  for (const Expected& one : all) {
    if (std::ranges::find(entries, one.entry) == entries.end()) entries.push_back(one.entry);
  }
  const Ptx ptx(source, entries);
  for (const Expected& one : all) {
    EXPECT_GE(ptx.count(one.entry, one.instruction), one.least) << one.entry << one.instruction;
    EXPECT_EQ(ptx.count(one.entry, ".local"), 0) << one.entry;
  }
}

TEST(CalibrationPtx, HasTheArithmeticThatIsTimed) {
  const std::string fmas = "tuner_calibrate::fmas<float, tuner_calibrate::Operands::";
  expect_instructions(
      "arithmetic.cu",
      {{fmas + "three, 1>", "fma.rn.f32", 256},
       {fmas + "three, 8>", "fma.rn.f32", 256},
       {fmas + "two, 8>", "fma.rn.f32", 256},
       {fmas + "immediate, 1>", "fma.rn.f32", 256},
       // 0.75, which ptxas puts into each of them
       {fmas + "immediate, 1>", "0f3F400000", 1},
       {"tuner_calibrate::fmas<double, tuner_calibrate::Operands::three, 8>", "fma.rn.f64", 256},
       {"tuner_calibrate::issue<4>", "fma.rn.f32", 128},
       {"tuner_calibrate::issue<4>", "min.s32", 64},
       {"tuner_calibrate::issue<4>", "xor.b32", 64},
       {"tuner_calibrate::issue<2>", "min.s32", 32}});
}

TEST(CalibrationPtx, HasTheLoadsThatAreTimed) {
  expect_instructions("memory.cu",
                      {{"tuner_calibrate::read<tuner_calibrate::Word, 8>", "ld.global.u32", 8},
                       {"tuner_calibrate::read<tuner_calibrate::Words4, 4>", "ld.global.v4.u32", 4},
                       {"tuner_calibrate::copy<tuner_calibrate::Words4, 4>", "st.global.v4.", 4},
                       {"tuner_calibrate::copy<tuner_calibrate::Word, 4>", "st.global.", 4},
                       {"tuner_calibrate::read_l2", "ld.global.cg.v4.u32", 4},
                       {"tuner_calibrate::chase", "ld.global.cg.u32", 8},
                       {"tuner_calibrate::strided", "ld.global.u32", 8},
                       {"tuner_calibrate::tags<32>", "ld.global.u32", 8},
                       {"tuner_calibrate::read_shared", "ld.volatile.shared.u32", 16},
                       {"tuner_calibrate::chase_shared", "ld.volatile.shared.u32", 16},
                       {"tuner_calibrate::scale", "st.global.", 1}});
}

TEST(CalibrationPtx, HasTheBarriersAndTheClock) {
  expect_instructions("dispatch.cu", {{"tuner_calibrate::barriers", "bar", 16},
                                      {"tuner_calibrate::spin", "clock64", 2},
                                      {"tuner_calibrate::empty", "ret", 1}});
}

}  // namespace
}  // namespace tuner
