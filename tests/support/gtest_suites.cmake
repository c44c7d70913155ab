# Run by ctest: one test per suite of the GoogleTest program `program`, named by `prefix`, with `properties`.
# SPDX-License-Identifier: Apache-2.0
set(result "the program is not built")
if(EXISTS "${program}")
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE suites RESULT_VARIABLE result TIMEOUT 60)
endif()
if(NOT result EQUAL 0)
  add_test("${prefix}no suites: ${result}" "${program}.without_suites")  # which does not exist: the test fails
  return()
endif()
# Files of solvers lie in memory, where that is a file system with 4 GiB of room: as those of tests in Python do.
if(prefix MATCHES "^solvers/" AND "$ENV{TMPDIR}" STREQUAL "")
  execute_process(COMMAND df -Pk /dev/shm OUTPUT_VARIABLE room ERROR_QUIET)
  if(room MATCHES " ([0-9]+) +[0-9]+% /dev/shm\n" AND CMAKE_MATCH_1 GREATER 4194304)
    list(APPEND properties ENVIRONMENT TMPDIR=/dev/shm)
  endif()
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${suites}")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  add_test("${prefix}${suite}" "${program}" "--gtest_filter=${suite}.*")
  set_tests_properties("${prefix}${suite}" PROPERTIES ${properties})
endforeach()
