# The layer topology, with METIS where there is one.
# SPDX-License-Identifier: Apache-2.0

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
