# What can be chosen at configure time, and the compile settings that every target shares.
option(TUNER_BUILD_TESTS "Build the unit, NVRTC and GPU tests" ${PROJECT_IS_TOP_LEVEL})
option(TUNER_WERROR "Treat compiler warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(TUNER_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")
set(TUNER_CUDA_HOME "" CACHE PATH "CUDA Toolkit, or a folder of NVIDIA's wheels; found by itself where empty")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(TUNER_CCACHE ccache)
if(TUNER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TUNER_CCACHE}")
endif()

# Holds warnings and sanitizers; linked by every target of the project, and by nothing outside.
add_library(tuner_settings INTERFACE)
target_compile_features(tuner_settings INTERFACE cxx_std_20)
target_include_directories(tuner_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(
  tuner_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                           -Wnon-virtual-dtor -Woverloaded-virtual)
if(TUNER_WERROR)
  target_compile_options(tuner_settings INTERFACE -Werror)
endif()
if(TUNER_SANITIZE)
  target_compile_options(
    tuner_settings INTERFACE -fsanitize=${TUNER_SANITIZE} -fno-omit-frame-pointer
                             -fno-sanitize-recover=all
                             # g++ documents false positives of this one in instrumented code.
                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(tuner_settings INTERFACE -fsanitize=${TUNER_SANITIZE})
endif()
