# Adds pytest suites to ctest, run by the Python of TACIT_PYTHON against the program that was built.
# SPDX-License-Identifier: Apache-2.0

# tacit_pytest(<name> <file or folder>... [LONG|ALL] LABELS labels [TIMEOUT seconds] [PROCESSORS n]): the tests that are
# not marked by @pytest.mark.long; with LONG only those, with ALL both. Most of the time one Python draws and compares;
# suites of which runs with two threads take most of the time have PROCESSORS 2. Long suites begin before short tests.
# An entry of the quick suite takes at most 60 s on two slow cores, 120 s with ranks, and is ended after three times
# that: a suite that takes longer is split by files, of which each costs another second to start.
function(tacit_pytest name)
  cmake_parse_arguments(ARG "LONG;ALL" "TIMEOUT;PROCESSORS" "LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 180)
    if(TACIT_SANITIZE)  # whose programs take some times as long
      set(ARG_TIMEOUT 900)
    endif()
  endif()
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  if(NOT ARG_LONG)
    set_property(GLOBAL APPEND PROPERTY TACIT_PYTEST_FILES ${ARG_UNPARSED_ARGUMENTS})
  endif()
  set(marked "not long")
  if(ARG_LONG)
    set(marked long)
  elseif(ARG_ALL)
    set(marked "long or not long")
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 1)
  endif()
  add_test(NAME "${name}"
           COMMAND sh -c "exec \"\${TACIT_PYTHON:-python3}\" -m pytest -q -rs \"$@\"" sh
                   -p no:cacheprovider -p loud_skips -p folders_in_memory -o tmp_path_retention_policy=failed
                   -m "${marked}" ${ARG_UNPARSED_ARGUMENTS})
  set(environment "TACIT_PROGRAM=$<TARGET_FILE:tacit>" PYTHONDONTWRITEBYTECODE=1
                  "PYTHONPATH=${PROJECT_SOURCE_DIR}/python:${PROJECT_SOURCE_DIR}/tests/support")
  set_tests_properties("${name}" PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT}
                       PROCESSORS ${ARG_PROCESSORS} ENVIRONMENT "${environment}"
                       WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
