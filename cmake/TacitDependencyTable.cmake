# Reads the table of external libraries.
# SPDX-License-Identifier: Apache-2.0

set(TACIT_DEPENDENCY_TABLE "${CMAKE_CURRENT_LIST_DIR}/dependencies.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TACIT_DEPENDENCY_TABLE}")

# tacit_dependency_row(<package>): sets version, url and sha256 in the caller, from the table.
function(tacit_dependency_row package)
  file(STRINGS "${TACIT_DEPENDENCY_TABLE}" row REGEX "^[a-z]+ +${package} ")
  separate_arguments(row UNIX_COMMAND "${row}")
  list(LENGTH row columns)
  if(NOT columns EQUAL 6)
    message(FATAL_ERROR "cmake/dependencies.txt: expected one row of six columns for '${package}'")
  endif()
  list(GET row 2 version)
  list(GET row 4 url)
  list(GET row 5 sha256)
  set(version "${version}" PARENT_SCOPE)
  set(url "${url}" PARENT_SCOPE)
  set(sha256 "${sha256}" PARENT_SCOPE)
endfunction()
