! How blocks travel between the ranks of a row or column: before, by MPI_Alltoallv.
! SPDX-License-Identifier: Apache-2.0
module exchanges
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  implicit none
  private

  ! The ranks of a row or column.
  type, public :: group
    integer :: rank, size, ranks
  contains
    procedure :: make => make_group, free => free_group
  end type

  type, public :: exchange
    private
    integer :: ranks
    integer, allocatable :: sent(:), received(:), begins(:), ends(:)
    complex(real64), pointer, contiguous :: in(:), out(:)
  contains
    procedure :: make, run, free
  end type

  character(len=*), parameter, public :: by = "MPI"

contains

  subroutine make_group(self, ranks)
    class(group), intent(out) :: self
    integer, intent(in) :: ranks
    integer :: error
    self%ranks = ranks
    call MPI_Comm_rank(ranks, self%rank, error)
    call MPI_Comm_size(ranks, self%size, error)
  end subroutine

  subroutine free_group(self)
    class(group), intent(inout) :: self
    self%size = 0
  end subroutine

  ! sent, received: numbers for each rank, and from each; blocks lie one behind the other.
  subroutine make(self, ranks, sent, received, in, out)
    class(exchange), intent(out) :: self
    type(group), intent(in) :: ranks
    integer, intent(in) :: sent(:), received(:)
    complex(real64), intent(in), target, contiguous :: in(:)
    complex(real64), intent(inout), target, contiguous :: out(:)
    integer :: i
    self%ranks = ranks%ranks
    self%sent = sent
    self%received = received
    self%begins = [(sum(sent(:i - 1)), i=1, size(sent))]
    self%ends = [(sum(received(:i - 1)), i=1, size(received))]
    self%in => in
    self%out => out
  end subroutine

  subroutine run(self)
    class(exchange), intent(inout) :: self
    integer :: error
    call MPI_Alltoallv(self%in, self%sent, self%begins, MPI_DOUBLE_COMPLEX, &
                       self%out, self%received, self%ends, MPI_DOUBLE_COMPLEX, self%ranks, error)
  end subroutine

  subroutine free(self)
    class(exchange), intent(inout) :: self
    nullify (self%in, self%out)
  end subroutine
end module
