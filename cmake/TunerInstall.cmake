# cmake --install: the executable, and beside it under share/tuner what it reads when it runs. The
# executable finds that from its own place, and the package files from theirs, so an installed tree
# can be moved.
include(CMakePackageConfigHelpers)
set(tuner_data "${CMAKE_INSTALL_DATADIR}/tuner")
set(tuner_kernels "${tuner_data}/kernels_src")
set(tuner_configs "${tuner_data}/configs")
set(tuner_cmake "${CMAKE_INSTALL_LIBDIR}/cmake/tuner")

install(
  DIRECTORY kernels_src
  DESTINATION "${tuner_data}"
  FILES_MATCHING
  REGEX "\\.(json|cu|cuh|h|md)$")
install(
  DIRECTORY configs
  DESTINATION "${tuner_data}"
  FILES_MATCHING
  PATTERN "*.json")
install(
  DIRECTORY docs/schemas
  DESTINATION "${tuner_data}"
  FILES_MATCHING
  PATTERN "*.json")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# What the shells and man(1) know of the command line is asked of the command line itself.
set(tuner_words "${PROJECT_BINARY_DIR}/words")
add_custom_command(
  OUTPUT "${tuner_words}/tuner" "${tuner_words}/_tuner" "${tuner_words}/tuner.fish" "${tuner_words}/tuner.1"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${tuner_words}"
  COMMAND tuner completion bash > "${tuner_words}/tuner"
  COMMAND tuner completion zsh > "${tuner_words}/_tuner"
  COMMAND tuner completion fish > "${tuner_words}/tuner.fish"
  COMMAND tuner man > "${tuner_words}/tuner.1"
  DEPENDS tuner
  VERBATIM)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(tuner_words ALL DEPENDS "${tuner_words}/tuner.1")
endif()
# Not there where only the executable was built.
install(FILES "${tuner_words}/tuner" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" OPTIONAL)
install(FILES "${tuner_words}/_tuner" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" OPTIONAL)
install(FILES "${tuner_words}/tuner.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
install(FILES "${tuner_words}/tuner.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)

# The package. The same names are there for whoever adds this project as a subfolder.
add_library(tuner_kernel_sources INTERFACE)
target_include_directories(tuner_kernel_sources INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/kernels_src>"
                                                          "$<INSTALL_INTERFACE:${tuner_kernels}>")
set_target_properties(tuner_kernel_sources PROPERTIES EXPORT_NAME kernels)
add_library(tuner::kernels ALIAS tuner_kernel_sources)
add_executable(tuner::tuner ALIAS tuner)
set(TUNER_KERNELS_DIR "${PROJECT_SOURCE_DIR}/kernels_src")
set(TUNER_CONFIGS_DIR "${PROJECT_SOURCE_DIR}/configs")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(TUNER_KERNELS_DIR "${TUNER_KERNELS_DIR}" PARENT_SCOPE)
  set(TUNER_CONFIGS_DIR "${TUNER_CONFIGS_DIR}" PARENT_SCOPE)
endif()
include(TunerEmbed)

install(TARGETS tuner tuner_kernel_sources EXPORT tuner_targets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(
  EXPORT tuner_targets
  NAMESPACE tuner::
  FILE tunerTargets.cmake
  DESTINATION "${tuner_cmake}")
# Not there where only the executable was built; a set of its own, so that the rest of the package serves
# without it.
install(TARGETS tuner_runtime EXPORT tuner_runtime_targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL)
install(FILES tuner/runtime/runtime.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tuner/runtime")
install(
  EXPORT tuner_runtime_targets
  NAMESPACE tuner::
  FILE tunerRuntimeTargets.cmake
  DESTINATION "${tuner_cmake}")
set(tuner_runtime_library "${CMAKE_INSTALL_LIBDIR}/libtuner_runtime.so")
configure_package_config_file(
  cmake/tunerConfig.cmake.in "${PROJECT_BINARY_DIR}/tunerConfig.cmake"
  INSTALL_DESTINATION "${tuner_cmake}"
  PATH_VARS tuner_kernels tuner_configs tuner_runtime_library)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tunerConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tunerConfig.cmake" "${PROJECT_BINARY_DIR}/tunerConfigVersion.cmake"
              cmake/TunerEmbed.cmake DESTINATION "${tuner_cmake}")
file(RELATIVE_PATH tuner_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" tuner_pc_prefix "${tuner_pc_prefix}")
configure_file(cmake/tuner.pc.in "${PROJECT_BINARY_DIR}/tuner.pc" @ONLY)
configure_file(cmake/tuner-runtime.pc.in "${PROJECT_BINARY_DIR}/tuner-runtime.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tuner.pc" "${PROJECT_BINARY_DIR}/tuner-runtime.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# cpack: a .deb and a .tar.gz.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR "TGZ;DEB")
  set(CPACK_PACKAGE_VENDOR "the tuner project")
  set(CPACK_PACKAGE_CONTACT "the tuner project")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6, zlib1g")
  set(CPACK_DEBIAN_PACKAGE_SECTION "devel")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  include(CPack)
endif()
