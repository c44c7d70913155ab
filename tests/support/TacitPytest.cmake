# Adds pytest suites to ctest, run by the Python of TACIT_PYTHON against the program that was built.
# SPDX-License-Identifier: Apache-2.0

# tacit_pytest(<name> <file or folder>... LABELS labels TIMEOUT seconds): PROCESSORS 2, as runs use two threads.
function(tacit_pytest name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_test(NAME "${name}"
           COMMAND sh -c "exec \"\${TACIT_PYTHON:-python3}\" -m pytest -q -rs -p no:cacheprovider -p loud_skips \"$@\""
                   sh ${ARG_UNPARSED_ARGUMENTS})
  set(environment "TACIT_PROGRAM=$<TARGET_FILE:tacit>" PYTHONDONTWRITEBYTECODE=1
                  "PYTHONPATH=${PROJECT_SOURCE_DIR}/python:${PROJECT_SOURCE_DIR}/tests/support")
  set_tests_properties("${name}" PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} PROCESSORS 2
                       ENVIRONMENT "${environment}" WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
