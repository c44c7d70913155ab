# Reads a version from the numbers that a header defines; for libraries without a CMake package that would do.
# SPDX-License-Identifier: Apache-2.0

# tacit_header_version(<header> <lowest version> <version> <is new enough> <macro>...): the macros name the numbers, the
# major one first: "2.4.1", or "..." where they are not there.
function(tacit_header_version header lowest version_out enough_out)
  set(numbers "")
  foreach(macro IN LISTS ARGN)
    file(STRINGS "${header}" line REGEX "define[ \t]+${macro}[ \t]+[0-9]+")
    string(REGEX MATCH "${macro}[ \t]+([0-9]+)" line "${line}")
    list(APPEND numbers "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN numbers "." version)
  set(enough FALSE)
  if(version VERSION_GREATER_EQUAL lowest)
    set(enough TRUE)
  endif()
  set(${version_out} "${version}" PARENT_SCOPE)
  set(${enough_out} ${enough} PARENT_SCOPE)
endfunction()
