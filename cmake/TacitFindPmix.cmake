# Finds pmix.h, libpmix and their version; shared by the build and by tools/probe.
# SPDX-License-Identifier: Apache-2.0
include(TacitHeaderVersion)

# tacit_find_pmix(<lowest version>): sets TACIT_PMIX_INCLUDE and TACIT_PMIX_LIBRARY (cached), PMIx_FOUND and
# PMIx_VERSION. Debian keeps the headers in a folder of their own, whose number is that of the library's interface.
function(tacit_find_pmix lowest)
  file(GLOB folders "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix*")
  find_path(TACIT_PMIX_INCLUDE pmix.h PATHS ${folders} PATH_SUFFIXES include)
  find_library(TACIT_PMIX_LIBRARY pmix PATHS ${folders} PATH_SUFFIXES lib)
  set(version "none")
  set(found FALSE)
  if(TACIT_PMIX_INCLUDE AND TACIT_PMIX_LIBRARY)
    tacit_header_version("${TACIT_PMIX_INCLUDE}/pmix_version.h" "${lowest}" version found
                         PMIX_VERSION_MAJOR PMIX_VERSION_MINOR PMIX_VERSION_RELEASE)
  endif()
  set(PMIx_VERSION "${version}" PARENT_SCOPE)
  set(PMIx_FOUND ${found} PARENT_SCOPE)
endfunction()
