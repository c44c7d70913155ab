# Finds METIS, which brings no CMake package of its own: METIS::METIS, METIS_FOUND, METIS_VERSION.
# SPDX-License-Identifier: Apache-2.0
#
# Since version 5.2 its helpers are a library of their own, GKlib, which has to be linked where it is one.
include(FindPackageHandleStandardArgs)
include(TacitHeaderVersion)
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
find_library(METIS_GKLIB_LIBRARY GKlib)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY METIS_GKLIB_LIBRARY)
if(METIS_INCLUDE_DIR)
  tacit_header_version("${METIS_INCLUDE_DIR}/metis.h" "0" METIS_VERSION METIS_IS_SOME_VERSION
                       METIS_VER_MAJOR METIS_VER_MINOR METIS_VER_SUBMINOR)
endif()
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR VERSION_VAR METIS_VERSION)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}")
  target_include_directories(METIS::METIS SYSTEM INTERFACE "${METIS_INCLUDE_DIR}")
  if(METIS_GKLIB_LIBRARY)
    target_link_libraries(METIS::METIS INTERFACE "${METIS_GKLIB_LIBRARY}")
  endif()
endif()
