# Compiles each installed header of a layer by itself.
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/installed.cmake")
try("${SOURCE}/tests/install/headers" headers "-DLAYER=${LAYER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
