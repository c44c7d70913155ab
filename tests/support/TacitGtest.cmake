# Adds the test suites of a GoogleTest program to ctest: one process per suite, not per test.
# SPDX-License-Identifier: Apache-2.0

# tacit_gtest_suites(<target> <prefix> PROPERTIES name value...): tests "<prefix><suite>". The program is asked for its
# suites when ctest runs. A failed test is named by the output of its suite, a skipped one by tools/ctest_report.py.
function(tacit_gtest_suites target prefix)
  cmake_parse_arguments(ARG "" "" "PROPERTIES" ${ARGN})
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT "set(program \"$<TARGET_FILE:${target}>\")
set(prefix \"${prefix}\")
set(properties \"${ARG_PROPERTIES}\")
include(\"${PROJECT_SOURCE_DIR}/tests/support/gtest_suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
