# Finds FFTW 3.3 in both precisions; shared by the build and by tools/probe. FFTW brings no CMake package on Debian.
# SPDX-License-Identifier: Apache-2.0

# tacit_find_fftw(): sets TACIT_FFTW_INCLUDE, TACIT_FFTW_DOUBLE and TACIT_FFTW_SINGLE (cached), FFTW_FOUND and
# FFTW_VERSION.
function(tacit_find_fftw)
  find_path(TACIT_FFTW_INCLUDE fftw3.h)
  find_library(TACIT_FFTW_DOUBLE fftw3)
  find_library(TACIT_FFTW_SINGLE fftw3f)
  set(version "none")
  set(found FALSE)
  if(TACIT_FFTW_INCLUDE AND TACIT_FFTW_DOUBLE AND TACIT_FFTW_SINGLE)
    # The header does not say its version, but 3.3 brought this function.
    file(STRINGS "${TACIT_FFTW_INCLUDE}/fftw3.h" has_alloc REGEX "alloc_complex")
    if(has_alloc)
      set(version "3.3")
      set(found TRUE)
    else()
      set(version "3.2")
    endif()
  endif()
  set(FFTW_VERSION "${version}" PARENT_SCOPE)
  set(FFTW_FOUND ${found} PARENT_SCOPE)
endfunction()

# tacit_find_fftw_mpi(): sets TACIT_FFTW_MPI and TACIT_FFTW_MPI_INCLUDE (cached), FFTWMPI_FOUND and FFTWMPI_VERSION.
function(tacit_find_fftw_mpi)
  find_path(TACIT_FFTW_MPI_INCLUDE fftw3-mpi.h)
  find_library(TACIT_FFTW_MPI fftw3_mpi)
  set(version "none")
  set(found FALSE)
  if(TACIT_FFTW_MPI_INCLUDE AND TACIT_FFTW_MPI)
    set(version "3.3")  # which brought MPI back
    set(found TRUE)
  endif()
  set(FFTWMPI_VERSION "${version}" PARENT_SCOPE)
  set(FFTWMPI_FOUND ${found} PARENT_SCOPE)
endfunction()
