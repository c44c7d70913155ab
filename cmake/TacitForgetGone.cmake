# CMake keeps what it has found; this forgets it once it is gone, so that it is looked for again.
# SPDX-License-Identifier: Apache-2.0

# tacit_forget_gone(<regex> <variable>...): if a path in one of the cached variables no longer exists, removes every
# cached variable whose name matches the regular expression. What was not found CMake looks for again by itself.
function(tacit_forget_gone regex)
  foreach(variable IN LISTS ARGN)
    foreach(path IN LISTS ${variable})
      if(IS_ABSOLUTE "${path}" AND NOT EXISTS "${path}")
        message(STATUS "${path} is gone: looking again for what it belonged to")
        get_cmake_property(names CACHE_VARIABLES)
        list(FILTER names INCLUDE REGEX "${regex}")
        foreach(name IN LISTS names)
          unset(${name} CACHE)
        endforeach()
        return()
      endif()
    endforeach()
  endforeach()
endfunction()
