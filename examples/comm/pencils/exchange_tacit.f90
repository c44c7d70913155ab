! How blocks travel between the ranks of a row or column: after, by a persistent all-to-all of Tacit.
! SPDX-License-Identifier: Apache-2.0
module exchanges
  use, intrinsic :: iso_c_binding, only: c_size_t
  use, intrinsic :: iso_fortran_env, only: real64
  use tacit
  implicit none
  private

  ! The ranks of a row or column.
  type, public :: group
    integer :: rank, size
    type(tacit_communicator) :: ranks
  contains
    procedure :: make => make_group, free => free_group
  end type

  type, public :: exchange
    private
    type(tacit_collective) :: blocks
  contains
    procedure :: make, run, free
  end type

  character(len=*), parameter, public :: by = "Tacit"

contains

  subroutine make_group(self, ranks)
    class(group), intent(out) :: self
    integer, intent(in) :: ranks
    call tacit_create_mpi(self%ranks, ranks)
    self%rank = tacit_rank(self%ranks)
    self%size = tacit_size(self%ranks)
  end subroutine

  subroutine free_group(self)
    class(group), intent(inout) :: self
    call tacit_free(self%ranks)
  end subroutine

  ! sent, received: numbers for each rank, and from each; blocks lie one behind the other. A complex number is two reals.
  subroutine make(self, ranks, sent, received, in, out)
    class(exchange), intent(out) :: self
    type(group), intent(in) :: ranks
    integer, intent(in) :: sent(:), received(:)
    complex(real64), intent(in), target, contiguous :: in(:)
    complex(real64), intent(inout), target, contiguous :: out(:)
    call tacit_alltoallv(self%blocks, ranks%ranks, tacit_double, 2_c_size_t*sent, 2_c_size_t*received, in, out)
  end subroutine

  subroutine run(self)
    class(exchange), intent(inout) :: self
    call tacit_run(self%blocks)
  end subroutine

  subroutine free(self)
    class(exchange), intent(inout) :: self
    call tacit_free(self%blocks)
  end subroutine
end module
