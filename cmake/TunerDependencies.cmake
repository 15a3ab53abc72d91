# Third-party libraries. All are used header-only or static, so that the executable runs on a machine
# that has none of them installed.
find_package(nlohmann_json 3.10 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(CLI11 2.1 REQUIRED)
find_package(spdlog 1.9 REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

find_path(TUNER_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

# Older packages of valijson are the headers alone.
find_package(valijson QUIET CONFIG)
if(NOT TARGET valijson)
  find_path(TUNER_VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED)
  add_library(valijson INTERFACE)
  target_include_directories(valijson SYSTEM INTERFACE "${TUNER_VALIJSON_INCLUDE_DIR}")
  target_compile_definitions(valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)
endif()

add_library(tuner_log INTERFACE)
target_include_directories(
  tuner_log SYSTEM INTERFACE $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(tuner_log INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
target_link_libraries(tuner_log INTERFACE Threads::Threads)

add_library(tuner_json INTERFACE)
target_link_libraries(tuner_json INTERFACE nlohmann_json::nlohmann_json)

add_library(tuner_xxhash INTERFACE)
target_include_directories(tuner_xxhash SYSTEM INTERFACE "${TUNER_XXHASH_INCLUDE_DIR}")
target_compile_definitions(tuner_xxhash INTERFACE XXH_INLINE_ALL)

# The CUDA headers (cuda.h, nvrtc.h, cuda_occupancy.h). libcuda and NVRTC are loaded at run time and
# never linked, so headers are all that the build needs. A home that was asked for is the only one
# looked into; no answer is cached, so that another home takes effect at the next configure.
if(TUNER_CUDA_HOME)
  find_path(
    tuner_cuda_include_dir cuda_occupancy.h
    PATHS "${TUNER_CUDA_HOME}/include"
    NO_DEFAULT_PATH NO_CACHE)
else()
  find_path(
    tuner_cuda_include_dir cuda_occupancy.h
    HINTS "$ENV{TUNER_CUDA_HOME}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda
          "${PROJECT_SOURCE_DIR}/build/cuda"
    PATH_SUFFIXES include
    NO_CACHE)
endif()
if(NOT tuner_cuda_include_dir)
  message(FATAL_ERROR "No CUDA headers found (TUNER_CUDA_HOME is '${TUNER_CUDA_HOME}'). Run "
                      "scripts/quickstart, which brings them from NVIDIA's wheels, or point "
                      "-DTUNER_CUDA_HOME at a CUDA Toolkit of 12.4 or later.")
endif()
file(STRINGS "${tuner_cuda_include_dir}/cuda.h" tuner_cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+" tuner_cuda_version "${tuner_cuda_version}")
if(tuner_cuda_version LESS 12040)
  message(FATAL_ERROR "The CUDA headers in ${tuner_cuda_include_dir} are of version "
                      "'${tuner_cuda_version}'; 12040 (CUDA 12.4) or later is needed.")
endif()
# Where the tuner looks for NVRTC when the environment names no place.
get_filename_component(TUNER_BUILT_CUDA_HOME "${tuner_cuda_include_dir}" DIRECTORY)
message(STATUS "CUDA home: ${TUNER_BUILT_CUDA_HOME} (CUDA_VERSION ${tuner_cuda_version})")

add_library(tuner_cuda INTERFACE)
target_include_directories(tuner_cuda SYSTEM INTERFACE "${tuner_cuda_include_dir}")
target_link_libraries(tuner_cuda INTERFACE ${CMAKE_DL_LIBS})
