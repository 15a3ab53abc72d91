#include "tuner/gpu/device.h"

#include <gtest/gtest.h>

#include <array>

namespace tuner {
namespace {

struct Slug {
  const char* name;
  const char* id;
};

class DeviceId : public testing::TestWithParam<Slug> {};

TEST_P(DeviceId, NamesAFile) { EXPECT_EQ(device_id(GetParam().name), GetParam().id); }

INSTANTIATE_TEST_SUITE_P(Names, DeviceId,
                         testing::Values(Slug{"NVIDIA H200", "h200"}, Slug{"Tesla T4", "t4"},
                                         Slug{"NVIDIA GeForce RTX 3090", "rtx3090"},
                                         Slug{"NVIDIA A100-SXM4-80GB", "a100"},
                                         Slug{"NVIDIA H100 80GB HBM3", "h100"},
                                         Slug{"NVIDIA H100 PCIe", "h100pcie"},
                                         Slug{"NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"},
                                         Slug{"NVIDIA TITAN RTX", "titanrtx"},
                                         Slug{"NVIDIA RTX 6000 Ada Generation", "rtx6000ada"},
                                         Slug{"NVIDIA GH200 480GB", "gh200"},
                                         Slug{"NVIDIA H200 MIG 1g.18gb", "h200mig1g"},
                                         Slug{"../..", "gpu"}, Slug{"", "gpu"}));

struct Code {
  CUresult code;
  bool poisons;
};

// What the CUDA documentation says of each: "the context cannot be used" or a refused call.
TEST(PoisonsContext, OnlyForWhatRan) {
  constexpr std::array kCodes{Code{CUDA_ERROR_ILLEGAL_ADDRESS, true},
                              Code{CUDA_ERROR_LAUNCH_FAILED, true},
                              Code{CUDA_ERROR_ASSERT, true},
                              Code{CUDA_ERROR_MISALIGNED_ADDRESS, true},
                              Code{CUDA_ERROR_ILLEGAL_INSTRUCTION, true},
                              Code{CUDA_ERROR_HARDWARE_STACK_ERROR, true},
                              Code{CUDA_ERROR_LAUNCH_TIMEOUT, true},
                              Code{CUDA_ERROR_ECC_UNCORRECTABLE, true},
                              Code{CUDA_ERROR_UNKNOWN, true},
                              Code{CUDA_ERROR_INVALID_VALUE, false},
                              Code{CUDA_ERROR_OUT_OF_MEMORY, false},
                              Code{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, false},
                              Code{CUDA_ERROR_NOT_FOUND, false},
                              Code{CUDA_ERROR_NO_BINARY_FOR_GPU, false},
                              Code{CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, false}};
  for (const Code& code : kCodes) {
    EXPECT_EQ(poisons_context(code.code), code.poisons) << static_cast<int>(code.code);
  }
}

TEST(LoadDriver, SaysWhyThereIsNone) {
  try {
    EXPECT_NE(load_driver(), nullptr);
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_device);
    EXPECT_STRNE(error.what(), "");
  }
}

}  // namespace
}  // namespace tuner
