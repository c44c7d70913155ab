# Precompiles the headers that most files include: parsing them took a quarter to a third of the time of a build.
# SPDX-License-Identifier: Apache-2.0
#
# Every file names its own headers all the same; a configuration without this (TACIT_PRECOMPILE=OFF) finds those that it
# forgets. A compiler cache knows a file by its text after the preprocessor and would keep none of these, so with one
# the default is OFF.

set(compiler_commands "${CMAKE_CXX_COMPILER_LAUNCHER}" "${CMAKE_CXX_COMPILER}")
file(REAL_PATH "${CMAKE_CXX_COMPILER}" compiler_file)  # a cache may go by the compiler's name
if("${compiler_commands};${compiler_file}" MATCHES "ccache")
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(TACIT_PRECOMPILE "Precompile the headers that most files include" ${precompile})

set(TACIT_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <cmath> <complex> <cstddef> <cstdint> <cstring> <deque> <exception> <filesystem>
  <fstream> <functional> <limits> <map> <memory> <mutex> <numbers> <numeric> <optional> <span> <string> <string_view>
  <utility> <variant> <vector> <fmt/format.h>)

# tacit_precompiled_headers(<name> <header>...): these headers, compiled with what all of our files are compiled with.
function(tacit_precompiled_headers name)
  if(TACIT_PRECOMPILE)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${name}.cpp" CONTENT "// Owns the precompiled headers.\n")
    add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
    target_link_libraries(${name} PRIVATE fmt::fmt tacit_warnings)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

tacit_precompiled_headers(tacit_precompiled ${TACIT_PRECOMPILED_HEADERS})

# tacit_use_precompiled(<target> [<name>]): for targets of C++ files only, with no flags of the processor of their own.
function(tacit_use_precompiled target)
  if(TACIT_PRECOMPILE)
    set(name ${ARGN} tacit_precompiled)
    list(GET name 0 name)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
