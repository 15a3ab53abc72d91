# For builds that ship tuned configurations: included by find_package(tuner) and by add_subdirectory.
# Needs the target tuner::tuner and TUNER_KERNELS_DIR, the folder of the built-in kernels.

# The folder and the name of a kernel: a built-in one's name, or the path of a folder or kernel.json.
function(_tuner_find_kernel kernel folder_variable name_variable)
  get_filename_component(path "${kernel}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(EXISTS "${TUNER_KERNELS_DIR}/${kernel}/kernel.json")
    set(path "${TUNER_KERNELS_DIR}/${kernel}")
  elseif(EXISTS "${path}/kernel.json")
  elseif(path MATCHES "\\.json$" AND EXISTS "${path}")
    get_filename_component(path "${path}" DIRECTORY)
  else()
    file(GLOB known RELATIVE "${TUNER_KERNELS_DIR}" "${TUNER_KERNELS_DIR}/*/kernel.json")
    string(REPLACE "/kernel.json" "" known "${known}")
    list(JOIN known ", " known)
    message(FATAL_ERROR "There is no kernel '${kernel}': neither a built-in one (${known}) nor a folder with a kernel.json")
  endif()
  file(READ "${path}/kernel.json" description)
  string(JSON name GET "${description}" name)
  set(${folder_variable} "${path}" PARENT_SCOPE)
  set(${name_variable} "${name}" PARENT_SCOPE)
endfunction()

# tuner_embed(TARGET target KERNEL kernel... CONFIGS folder
#             [HEADER tuned.hpp] [NAMESPACE tuned] [GPU h200...] [CACHE any|cold|warm])
#   Gives `target` a header with the tuned configurations of these kernels, written anew whenever a
#   result, or a kernel's source, changes. Needs no GPU.
function(tuner_embed)
  cmake_parse_arguments(ARG "" "TARGET;CONFIGS;HEADER;NAMESPACE;CACHE" "KERNEL;GPU" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tuner_embed: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  foreach(needed IN ITEMS TARGET KERNEL CONFIGS)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "tuner_embed: ${needed} is missing")
    endif()
  endforeach()
  if(NOT TARGET "${ARG_TARGET}")
    message(FATAL_ERROR "tuner_embed: there is no target '${ARG_TARGET}'")
  endif()
  get_filename_component(configs "${ARG_CONFIGS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT IS_DIRECTORY "${configs}")
    message(FATAL_ERROR "tuner_embed: CONFIGS ${configs} is no folder; tuner tune KERNEL --configs ${configs} makes it")
  endif()
  if(NOT ARG_HEADER)
    set(ARG_HEADER tuned.hpp)
  endif()

  set(kernels "")
  set(inputs "")
  foreach(kernel IN LISTS ARG_KERNEL)
    _tuner_find_kernel("${kernel}" folder name)
    list(APPEND kernels "${folder}")
    file(GLOB found CONFIGURE_DEPENDS "${folder}/*" "${configs}/${name}/*.json")
    list(APPEND inputs ${found})
  endforeach()
  set(options "")
  foreach(option IN ITEMS NAMESPACE CACHE)
    if(ARG_${option})
      string(TOLOWER "${option}" flag)
      list(APPEND options "--${flag}" "${ARG_${option}}")
    endif()
  endforeach()
  if(ARG_GPU)
    list(JOIN ARG_GPU "," gpus)
    list(APPEND options --gpu "${gpus}")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tuner_embed/${ARG_TARGET}")
  string(MAKE_C_IDENTIFIER "${ARG_TARGET}_${ARG_HEADER}" id)
  set(stamp "${folder}/${id}.stamp")
  get_filename_component(header_folder "${folder}/${ARG_HEADER}" DIRECTORY)
  # The header keeps its time where nothing of it changes, and nothing is compiled again.
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS "${folder}/${ARG_HEADER}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${header_folder}"
    COMMAND tuner::tuner export ${kernels} --configs "${configs}" -o "${folder}/${ARG_HEADER}" --quiet ${options}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS tuner::tuner ${inputs}
    COMMENT "Exporting tuned configurations to ${ARG_HEADER}"
    VERBATIM)
  add_custom_target(${id}_export DEPENDS "${stamp}")
  add_dependencies("${ARG_TARGET}" ${id}_export)
  get_target_property(type "${ARG_TARGET}" TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_include_directories("${ARG_TARGET}" INTERFACE "${folder}")
  else()
    target_include_directories("${ARG_TARGET}" PRIVATE "${folder}")
  endif()
endfunction()

# tuner_tune(target KERNEL kernel CONFIGS folder [ARGS argument...])
#   A target, built only when asked for, that tunes the kernel on this machine's GPU and keeps the
#   result in `folder`. ARGS goes to `tuner tune`: the problem, the time.
function(tuner_tune target)
  cmake_parse_arguments(ARG "" "KERNEL;CONFIGS" "ARGS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_KERNEL OR NOT ARG_CONFIGS)
    message(FATAL_ERROR "tuner_tune(target KERNEL kernel CONFIGS folder [ARGS argument...]): got ${ARGN}")
  endif()
  _tuner_find_kernel("${ARG_KERNEL}" folder name)
  get_filename_component(configs "${ARG_CONFIGS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  add_custom_target(
    ${target}
    COMMAND tuner::tuner tune "${folder}" --configs "${configs}" ${ARG_ARGS}
    USES_TERMINAL
    COMMENT "Tuning ${name} on this machine's GPU"
    VERBATIM)
endfunction()
