! The transposes of a pencil code: what stands between the Fourier transforms along x, y and z of a box on many ranks.
! SPDX-License-Identifier: Apache-2.0
!
! x-pencils a(x, y', z') become y-pencils b(y, z', x') within a row of ranks, and z-pencils c(z, x', y') within a column;
! a dash marks an axis that ranks share. Then all goes back. How blocks travel is in exchange_mpi.f90 or
! exchange_tacit.f90, the one file in which the programs differ.
module pencils
  use, intrinsic :: iso_fortran_env, only: real64
  use exchanges, only: exchange, group
  implicit none

  ! Exchanges axis 1, whole here, with axis 2, which the ranks of a group share: a(n1, m2, m3) <-> b(n2, m3, m1).
  type :: transposition
    type(exchange) :: forth, back
    integer :: m3
    integer, allocatable :: share1(:), share2(:)                   ! of each rank of the group
    complex(real64), allocatable :: pieces1(:), pieces2(:)         ! blocks by rank, one behind the other
  end type

contains

  ! How many of `n` planes each of `parts` ranks has.
  pure function shares(n, parts) result(counts)
    integer, intent(in) :: n, parts
    integer :: counts(parts), i
    counts = [(n*i/parts - n*(i - 1)/parts, i=1, parts)]
  end function

  ! @param n1, n2  length of both axes; @param m3  planes of the third that this rank has
  subroutine make(self, ranks, n1, n2, m3)
    type(transposition), intent(out), target :: self
    type(group), intent(in) :: ranks
    integer, intent(in) :: n1, n2, m3
    integer :: m1, m2
    self%m3 = m3
    self%share1 = shares(n1, ranks%size)
    self%share2 = shares(n2, ranks%size)
    m1 = self%share1(ranks%rank + 1)
    m2 = self%share2(ranks%rank + 1)
    allocate (self%pieces1(n1*m2*m3), self%pieces2(n2*m3*m1))
    call self%forth%make(ranks, self%share1*m2*m3, self%share2*m3*m1, self%pieces1, self%pieces2)
    call self%back%make(ranks, self%share2*m3*m1, self%share1*m2*m3, self%pieces2, self%pieces1)
  end subroutine

  subroutine transpose_forth(self, a, b)
    type(transposition), intent(inout) :: self
    complex(real64), intent(in) :: a(:, :, :)
    complex(real64), intent(out) :: b(:, :, :)
    integer :: at, r, x, z, first
    at = 0
    first = 0
    do x = 1, size(a, 1)                                           ! blocks by rank are slices of x, in order
      do z = 1, self%m3
        self%pieces1(at + 1:at + size(a, 2)) = a(x, :, z)
        at = at + size(a, 2)
      end do
    end do
    call self%forth%run()
    at = 0
    do r = 1, size(self%share2)
      do x = 1, size(b, 3)
        do z = 1, self%m3
          b(first + 1:first + self%share2(r), z, x) = self%pieces2(at + 1:at + self%share2(r))
          at = at + self%share2(r)
        end do
      end do
      first = first + self%share2(r)
    end do
  end subroutine

  subroutine transpose_back(self, b, a)
    type(transposition), intent(inout) :: self
    complex(real64), intent(in) :: b(:, :, :)
    complex(real64), intent(out) :: a(:, :, :)
    integer :: at, r, x, z, first
    at = 0
    first = 0
    do r = 1, size(self%share2)
      do x = 1, size(b, 3)
        do z = 1, self%m3
          self%pieces2(at + 1:at + self%share2(r)) = b(first + 1:first + self%share2(r), z, x)
          at = at + self%share2(r)
        end do
      end do
      first = first + self%share2(r)
    end do
    call self%back%run()
    at = 0
    do x = 1, size(a, 1)
      do z = 1, self%m3
        a(x, :, z) = self%pieces1(at + 1:at + size(a, 2))
        at = at + size(a, 2)
      end do
    end do
  end subroutine

  subroutine free(self)
    type(transposition), intent(inout) :: self
    call self%forth%free()
    call self%back%free()
  end subroutine
end module
