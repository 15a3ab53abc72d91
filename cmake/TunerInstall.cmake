# cmake --install: the executable, and beside it under share/tuner what it reads when it runs. The
# executable finds that from its own place, so an installed tree can be moved.
set(tuner_data "${CMAKE_INSTALL_DATADIR}/tuner")

install(TARGETS tuner RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
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
