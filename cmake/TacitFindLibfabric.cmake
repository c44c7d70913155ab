# Finds libfabric and its version; shared by the build and by tools/probe.
# SPDX-License-Identifier: Apache-2.0
include(TacitHeaderVersion)

# tacit_find_libfabric(<lowest version>): sets Libfabric_FOUND and Libfabric_VERSION, and makes the target
# tacit::libfabric if it is found.
function(tacit_find_libfabric lowest)
  find_path(TACIT_LIBFABRIC_INCLUDE rdma/fabric.h)
  find_library(TACIT_LIBFABRIC_LIBRARY fabric)
  mark_as_advanced(TACIT_LIBFABRIC_INCLUDE TACIT_LIBFABRIC_LIBRARY)
  set(version "none")
  set(found FALSE)
  if(TACIT_LIBFABRIC_INCLUDE AND TACIT_LIBFABRIC_LIBRARY)
    tacit_header_version("${TACIT_LIBFABRIC_INCLUDE}/rdma/fabric.h" "${lowest}" version found
                         FI_MAJOR_VERSION FI_MINOR_VERSION)
  endif()
  if(found AND NOT TARGET tacit::libfabric)
    add_library(tacit_libfabric INTERFACE)
    target_include_directories(tacit_libfabric SYSTEM INTERFACE "${TACIT_LIBFABRIC_INCLUDE}")
    target_link_libraries(tacit_libfabric INTERFACE "${TACIT_LIBFABRIC_LIBRARY}")
    add_library(tacit::libfabric ALIAS tacit_libfabric)
  endif()
  set(Libfabric_VERSION "${version}" PARENT_SCOPE)
  set(Libfabric_FOUND ${found} PARENT_SCOPE)
endfunction()
