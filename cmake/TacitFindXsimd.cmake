# Finds xsimd's headers and their version; shared by the build and by tools/probe.
# SPDX-License-Identifier: Apache-2.0
include(TacitHeaderVersion)

# tacit_find_xsimd(<lowest version>): sets TACIT_XSIMD_INCLUDE (cached), xsimd_FOUND and xsimd_VERSION. Not by its CMake
# package, which accepts no other major version than the one asked for and, in Debian 12, links a library that no
# longer is one.
function(tacit_find_xsimd lowest)
  find_path(TACIT_XSIMD_INCLUDE xsimd/config/xsimd_config.hpp)
  set(version "none")
  set(found FALSE)
  if(TACIT_XSIMD_INCLUDE)
    tacit_header_version("${TACIT_XSIMD_INCLUDE}/xsimd/config/xsimd_config.hpp" "${lowest}" version found
                         XSIMD_VERSION_MAJOR XSIMD_VERSION_MINOR XSIMD_VERSION_PATCH)
  endif()
  set(xsimd_VERSION "${version}" PARENT_SCOPE)
  set(xsimd_FOUND ${found} PARENT_SCOPE)
endfunction()
