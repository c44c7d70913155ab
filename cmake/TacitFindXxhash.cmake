# Finds xxhash.h and its version; shared by the build and by tools/probe.
# SPDX-License-Identifier: Apache-2.0
include(TacitHeaderVersion)

# tacit_find_xxhash(<lowest version>): sets TACIT_XXHASH_INCLUDE (cached), xxhash_FOUND and xxhash_VERSION.
function(tacit_find_xxhash lowest)
  find_path(TACIT_XXHASH_INCLUDE xxhash.h)
  set(version "none")
  set(found FALSE)
  if(TACIT_XXHASH_INCLUDE)
    tacit_header_version("${TACIT_XXHASH_INCLUDE}/xxhash.h" "${lowest}" version found
                         XXH_VERSION_MAJOR XXH_VERSION_MINOR XXH_VERSION_RELEASE)
  endif()
  set(xxhash_VERSION "${version}" PARENT_SCOPE)
  set(xxhash_FOUND ${found} PARENT_SCOPE)
endfunction()
