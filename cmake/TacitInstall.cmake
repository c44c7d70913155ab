# Installs the layer comm by itself: libraries, headers for C++ and C, and files for CMake and pkg-config.
#   cmake --install BUILD --component comm --prefix FOLDER
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(installed_layers comm_c comm_one_sided comm topology base)
list(TRANSFORM installed_layers PREPEND tacit_ OUTPUT_VARIABLE targets)
add_custom_target(comm DEPENDS ${targets})  # all that is installed
install(TARGETS ${targets} COMPONENT comm EXCLUDE_FROM_ALL ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(left_out PATTERN "c/*" EXCLUDE)
if(NOT TACIT_HAS_MPI)
  list(APPEND left_out PATTERN "providers/mpi/*" EXCLUDE PATTERN "bootstrap/mpi.hpp" EXCLUDE)
endif()
if(NOT TACIT_HAS_OFI)
  list(APPEND left_out PATTERN "providers/ofi/*" EXCLUDE)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/tacit/comm" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacit"
        COMPONENT comm EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.hpp" ${left_out})
set(base src/tacit/base)
install(FILES ${base}/clock.hpp ${base}/completion.hpp ${base}/error.hpp ${base}/exact_sum.hpp
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacit/base" COMPONENT comm EXCLUDE_FROM_ALL)
set(c_headers src/tacit/comm/c/tacit_comm.h src/tacit/comm/c/tacit_collectives.h)
if(TACIT_HAS_MPI)
  list(APPEND c_headers src/tacit/comm/c/tacit_comm_mpi.h src/tacit/comm/c/tacit_mpi_shim.h)
endif()
install(FILES ${c_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT comm EXCLUDE_FROM_ALL)

# What inline functions of the headers depend on must be the same on both sides.
set(definitions "")
if(TACIT_CHECKS)
  list(APPEND definitions TACIT_CHECKS=1)
endif()
if(TACIT_HAS_MPI)
  list(APPEND definitions TACIT_HAS_MPI OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
if(TACIT_HAS_OFI)
  list(APPEND definitions TACIT_HAS_OFI)
endif()
set(pkgconfig_flags "${definitions}")
list(TRANSFORM pkgconfig_flags PREPEND -D)
set(pkgconfig_mpi "")
if(TACIT_HAS_MPI)
  foreach(folder IN LISTS MPI_CXX_INCLUDE_DIRS)
    list(APPEND pkgconfig_flags "-I${folder}")
  endforeach()
  set(pkgconfig_mpi ${MPI_CXX_LIBRARIES})
endif()
if(TACIT_HAS_PMIX)
  list(APPEND pkgconfig_mpi "${TACIT_PMIX_LIBRARY}")
endif()
set(pkgconfig_ofi "")
if(TACIT_HAS_OFI)
  set(pkgconfig_ofi "-ldl")
endif()
list(JOIN pkgconfig_flags " " pkgconfig_flags)
list(JOIN pkgconfig_mpi " " pkgconfig_mpi)
list(TRANSFORM targets REPLACE "(.+)" "-l\\1" OUTPUT_VARIABLE pkgconfig_libraries)
list(JOIN pkgconfig_libraries " " pkgconfig_libraries)

# The folder can be moved: it is found from where the file of pkg-config lies.
file(RELATIVE_PATH pkgconfig_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pkgconfig_prefix "${pkgconfig_prefix}")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/tacit_comm")
configure_package_config_file(cmake/tacit_comm-config.cmake.in "${PROJECT_BINARY_DIR}/generated/tacit_comm-config.cmake"
  INSTALL_DESTINATION "${package_folder}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/tacit_comm-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/tacit_comm-config.cmake"
              "${PROJECT_BINARY_DIR}/generated/tacit_comm-config-version.cmake"
        DESTINATION "${package_folder}" COMPONENT comm EXCLUDE_FROM_ALL)
configure_file(cmake/tacit_comm.pc.in "${PROJECT_BINARY_DIR}/generated/tacit_comm.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/tacit_comm.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT comm EXCLUDE_FROM_ALL)
