# Adds pytest suites to ctest, run by the Python of TACIT_PYTHON against the program that was built.
# SPDX-License-Identifier: Apache-2.0

# tacit_pytest(<name> <file or folder>... [LONG] LABELS labels TIMEOUT seconds [PROCESSORS n]): the tests that are not
# marked by @pytest.mark.long; with LONG only those. Most of the time one Python draws and compares; suites of which
# runs with two threads take most of the time have PROCESSORS 2. Long suites begin before short tests.
function(tacit_pytest name)
  cmake_parse_arguments(ARG "LONG" "TIMEOUT;PROCESSORS" "LABELS" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set(marked "not long")
  if(ARG_LONG)
    set(marked long)
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 1)
  endif()
  add_test(NAME "${name}"
           COMMAND sh -c "exec \"\${TACIT_PYTHON:-python3}\" -m pytest -q -rs -p no:cacheprovider -p loud_skips \"$@\""
                   sh -m "${marked}" ${ARG_UNPARSED_ARGUMENTS})
  set(environment "TACIT_PROGRAM=$<TARGET_FILE:tacit>" PYTHONDONTWRITEBYTECODE=1
                  "PYTHONPATH=${PROJECT_SOURCE_DIR}/python:${PROJECT_SOURCE_DIR}/tests/support")
  set_tests_properties("${name}" PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT}
                       PROCESSORS ${ARG_PROCESSORS} ENVIRONMENT "${environment}"
                       WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
