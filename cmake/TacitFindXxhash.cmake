# Finds xxhash.h and its version; shared by the build and by tools/probe.
# SPDX-License-Identifier: Apache-2.0

# tacit_find_xxhash(<lowest version>): sets TACIT_XXHASH_INCLUDE (cached), xxhash_FOUND and xxhash_VERSION.
function(tacit_find_xxhash lowest)
  find_path(TACIT_XXHASH_INCLUDE xxhash.h)
  set(version "none")
  set(found FALSE)
  if(TACIT_XXHASH_INCLUDE)
    set(numbers "")
    foreach(part IN ITEMS MAJOR MINOR RELEASE)
      file(STRINGS "${TACIT_XXHASH_INCLUDE}/xxhash.h" line REGEX "define +XXH_VERSION_${part} +[0-9]+")
      string(REGEX MATCH "[0-9]+$" number "${line}")
      list(APPEND numbers "${number}")
    endforeach()
    list(JOIN numbers "." version)
    if(version VERSION_GREATER_EQUAL lowest)
      set(found TRUE)
    endif()
  endif()
  set(xxhash_VERSION "${version}" PARENT_SCOPE)
  set(xxhash_FOUND ${found} PARENT_SCOPE)
endfunction()
