# The layer topology, with METIS where there is one.
# SPDX-License-Identifier: Apache-2.0

include(TacitForgetGone)
tacit_forget_gone("^METIS_" METIS_INCLUDE_DIR METIS_LIBRARY)

set(TACIT_HAS_METIS OFF)
if(TACIT_METIS)  # AUTO counts as true
  tacit_dependency_row(METIS)
  find_package(METIS ${version} QUIET)
  set(TACIT_HAS_METIS ${METIS_FOUND})
  if(NOT TACIT_HAS_METIS AND NOT TACIT_METIS STREQUAL "AUTO")
    message(FATAL_ERROR "TACIT_METIS=${TACIT_METIS}, but METIS ${version} or newer (metis.h, libmetis) was not found; "
                        "found: ${METIS_VERSION}")
  endif()
endif()

set(topology src/tacit/topology)
file(GLOB_RECURSE topology_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${topology}/*.cpp")
if(TACIT_HAS_METIS)
  list(FILTER topology_sources EXCLUDE REGEX "/partition_without_metis\\.cpp$")
  set(metis METIS::METIS)
else()
  list(FILTER topology_sources EXCLUDE REGEX "/partition_metis\\.cpp$")
  set(metis "")
endif()
# Who links the layers tasks or comm alone gets no file that needs METIS.
tacit_layer(topology SOURCES ${topology_sources} PRIVATE ${metis}
            APART ${topology}/partition.cpp ${topology}/partition_metis.cpp ${topology}/partition_without_metis.cpp)
