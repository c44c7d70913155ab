# Installs the layer comm by itself, or the layer tasks: libraries, headers, and files for CMake and pkg-config.
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
install(FILES ${base}/clock.hpp ${base}/completion.hpp ${base}/error.hpp ${base}/exact_sum.hpp ${base}/ticks.hpp
              ${base}/tuning_cache.hpp
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacit/base" COMPONENT comm EXCLUDE_FROM_ALL)
set(c_headers src/tacit/comm/c/tacit_comm.h src/tacit/comm/c/tacit_collectives.h)
if(TACIT_HAS_MPI)
  list(APPEND c_headers src/tacit/comm/c/tacit_comm_mpi.h src/tacit/comm/c/tacit_mpi_shim.h)
endif()
# A module of Fortran is compiled by the compiler that uses it: its source is installed.
list(APPEND c_headers src/tacit/comm/fortran/tacit.f90)
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
# The folder can be moved: it is found from where the file of pkg-config lies.
file(RELATIVE_PATH pkgconfig_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pkgconfig_prefix "${pkgconfig_prefix}")

# tacit_install_package(<layer> <description>): what CMake and pkg-config need to find it, as the component <layer>.
# Linked are the archives of `targets`, and pkgconfig_links.
function(tacit_install_package layer description)
  set(package tacit_${layer})
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/${package}")
  set(generated "${PROJECT_BINARY_DIR}/generated/${package}")
  configure_package_config_file(cmake/${package}-config.cmake.in "${generated}-config.cmake"
    INSTALL_DESTINATION "${folder}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${generated}-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${generated}-config.cmake" "${generated}-config-version.cmake" DESTINATION "${folder}"
          COMPONENT ${layer} EXCLUDE_FROM_ALL)
  list(TRANSFORM targets REPLACE "(.+)" "-l\\1")
  list(JOIN targets " " pkgconfig_libraries)
  configure_file(cmake/tacit.pc.in "${generated}.pc" @ONLY)
  install(FILES "${generated}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${layer} EXCLUDE_FROM_ALL)
endfunction()
set(pkgconfig_links "${pkgconfig_mpi} ${pkgconfig_ofi}")
tacit_install_package(comm "Persistent one-sided communication between ranks")

set(targets tacit_tasks tacit_trace tacit_topology tacit_base)
install(TARGETS ${targets} COMPONENT tasks EXCLUDE_FROM_ALL ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/tacit/tasks" "${PROJECT_SOURCE_DIR}/src/tacit/trace"
                  "${PROJECT_SOURCE_DIR}/src/tacit/topology"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacit" COMPONENT tasks EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.hpp" PATTERN "trace/detail" EXCLUDE PATTERN "topology/detail" EXCLUDE)
install(FILES ${base}/clock.hpp ${base}/completion.hpp ${base}/error.hpp ${base}/ticks.hpp
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacit/base" COMPONENT tasks EXCLUDE_FROM_ALL)
set(pkgconfig_flags "")
if(TACIT_CHECKS)
  set(pkgconfig_flags -DTACIT_CHECKS=1)
endif()
set(pkgconfig_links "")
tacit_install_package(tasks "Graphs of tasks, futures and coroutines on the threads of one process")
