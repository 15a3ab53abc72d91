# tuner_library(NAME [PIC] [DEPS target...])
#   One static library of every .cc in the current folder. A folder is one library.
#   PIC: its code goes into the run-time library, which is a shared one.
function(tuner_library name)
  cmake_parse_arguments(ARG "PIC" "" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC tuner_settings ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ${ARG_PIC})
endfunction()

# tuner_test(NAME LABELS label... [DEPS target...] [SOURCES file...] [ENVIRONMENT VAR=value...])
#   A GoogleTest executable; SOURCES defaults to every *_test.cc of the current folder.
#   Labels: unit, nvrtc (needs NVRTC, no GPU), gpu, slow. gpu tests never run beside each other.
function(tuner_test name)
  cmake_parse_arguments(ARG "" "" "LABELS;DEPS;SOURCES;ENVIRONMENT" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tuner_settings ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  set(properties LABELS "${ARG_LABELS}")
  if(ARG_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${ARG_ENVIRONMENT}")
  endif()
  if("gpu" IN_LIST ARG_LABELS)
    list(APPEND properties RESOURCE_LOCK gpu)
  endif()
  # The values of parameters may print as addresses, which differ from run to run: number them.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
