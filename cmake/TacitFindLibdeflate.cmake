# Finds libdeflate and its version; shared by the build and by tools/probe. It brings a CMake package only since 1.15.
# SPDX-License-Identifier: Apache-2.0
include(TacitHeaderVersion)

# tacit_find_libdeflate(<lowest version>): sets TACIT_LIBDEFLATE_INCLUDE and TACIT_LIBDEFLATE (cached),
# libdeflate_FOUND and libdeflate_VERSION.
function(tacit_find_libdeflate lowest)
  find_path(TACIT_LIBDEFLATE_INCLUDE libdeflate.h)
  find_library(TACIT_LIBDEFLATE deflate)
  set(version "none")
  set(found FALSE)
  if(TACIT_LIBDEFLATE_INCLUDE AND TACIT_LIBDEFLATE)
    tacit_header_version("${TACIT_LIBDEFLATE_INCLUDE}/libdeflate.h" "${lowest}" version found
                         LIBDEFLATE_VERSION_MAJOR LIBDEFLATE_VERSION_MINOR)
  endif()
  set(libdeflate_VERSION "${version}" PARENT_SCOPE)
  set(libdeflate_FOUND ${found} PARENT_SCOPE)
endfunction()
