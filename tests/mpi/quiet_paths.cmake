# What the path of a message is free of. A sanitizer brings an allocation and locks of its own.
# SPDX-License-Identifier: Apache-2.0
if(NOT TACIT_SANITIZE)
  add_executable(comm_quiet_paths quiet_paths.cpp)
  target_link_libraries(comm_quiet_paths PRIVATE tacit_comm_c tacit_warnings fmt::fmt ${CMAKE_DL_LIBS})
  target_include_directories(comm_quiet_paths PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  add_test(NAME "comm: no allocation and no lock after the set-up" COMMAND comm_quiet_paths)
  set_tests_properties("comm: no allocation and no lock after the set-up" PROPERTIES LABELS mpi TIMEOUT 300
                                                                                     PROCESSORS 2)
endif()

# Not linked to the layer, which would bring the definitions of the build.
add_library(comm_one_provider OBJECT one_provider.cpp)
target_link_libraries(comm_one_provider PRIVATE tacit_base tacit_warnings)
