# Warning flags for our own code and the sanitizer option.
# SPDX-License-Identifier: Apache-2.0

add_library(tacit_warnings INTERFACE)
target_compile_options(tacit_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<BOOL:${TACIT_WERROR}>:-Werror>)

# Contraction into fused operations would make results depend on compiler and instruction set.
add_compile_options(-ffp-contract=off -fno-math-errno)
# The module for Python is a shared library of the same objects. In programs the linker takes back what this costs, but
# not that functions which another library could replace are no longer inlined.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# Failed preconditions name files from the root of the sources, and a compiler cache finds them from any folder.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

if(TACIT_SANITIZE)
  # Lines are all that a report shows: the names of variables would make builds longer by a fifth.
  add_compile_options(-fsanitize=${TACIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${TACIT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code makes g++ warn of standard headers, <regex> among them.
    target_compile_options(tacit_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(TACIT_CHECKS)
  add_compile_definitions(TACIT_CHECKS=1)
endif()
