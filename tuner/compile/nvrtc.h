// NVRTC, loaded at run time from where it is found, and the CUDA headers that belong to it.
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tuner {

// The functions of one loaded library. It stays loaded until the process ends: NVRTC does not
// survive being unloaded. Copies refer to the same library.
struct Nvrtc {
  std::filesystem::path library;

  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcGetNumSupportedArchs) get_num_supported_archs = nullptr;
  decltype(&::nvrtcGetSupportedArchs) get_supported_archs = nullptr;
  decltype(&::nvrtcGetErrorString) get_error_string = nullptr;
  decltype(&::nvrtcCreateProgram) create_program = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&::nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&::nvrtcCompileProgram) compile_program = nullptr;
  decltype(&::nvrtcGetLoweredName) get_lowered_name = nullptr;
  decltype(&::nvrtcGetProgramLogSize) get_program_log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) get_program_log = nullptr;
  decltype(&::nvrtcGetCUBINSize) get_cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) get_cubin = nullptr;
  decltype(&::nvrtcGetPTXSize) get_ptx_size = nullptr;
  decltype(&::nvrtcGetPTX) get_ptx = nullptr;
};

// Loads this very file (or, without a folder in it, what the loader finds by that name). Throws
// TunerError (ExitCode::no_device) saying why it cannot.
Nvrtc load_nvrtc(const std::filesystem::path& library);

// Looks for libnvrtc.so.13, then .12, in each place in turn: the one that TUNER_CUDA_HOME names,
// and no other, where it is set; else where the headers were at build time, CUDA_HOME,
// /usr/local/cuda, the loader's own path, and build/cuda of a source tree. Throws TunerError
// (ExitCode::no_device) naming all of them.
Nvrtc find_nvrtc();

// "13.0".
std::string version_text(const Nvrtc& nvrtc);
// As 75, 90, …: what it can compile for.
std::vector<int> supported_architectures(const Nvrtc& nvrtc);
// The toolkit's headers beside the library, whose path is absolute and follows no links; empty
// where there are none.
std::filesystem::path toolkit_include_dir(const std::filesystem::path& library);

}  // namespace tuner
