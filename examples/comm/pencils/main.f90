! Turns a box of complex numbers from x-pencils to z-pencils and back, and prints a checksum and the time of a turn.
! SPDX-License-Identifier: Apache-2.0
!
! Usage: pencils_mpi|pencils_tacit [SIDE [TURNS]]
program main
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use exchanges, only: by, group
  use mpi
  use pencils
  implicit none
  integer :: n = 48, turns = 20
  integer :: error, world, rank, ranks, grid(2) = 0, row, column, first(2), turn
  integer :: x, y, z, my, mz, mx, myz
  type(group) :: row_ranks, column_ranks
  type(transposition) :: xy, yz
  complex(real64), allocatable :: a(:, :, :), b(:, :, :), c(:, :, :)
  integer(int64) :: mine, checksum
  real(real64) :: begin, seconds

  call MPI_Init(error)
  call MPI_Comm_dup(MPI_COMM_WORLD, world, error)
  call MPI_Comm_rank(world, rank, error)
  call MPI_Comm_size(world, ranks, error)
  n = argument(1, n)
  turns = argument(2, turns)
  call MPI_Dims_create(ranks, 2, grid, error)
  if (n < maxval(grid)) then
    if (rank == 0) print '(a, i0, a)', "pencils: a side of at least ", maxval(grid), " is needed on so many ranks"
    call MPI_Finalize(error)
    stop 2
  end if
  call MPI_Comm_split(world, rank/grid(1), rank, row, error)
  call MPI_Comm_split(world, mod(rank, grid(1)), rank, column, error)
  call row_ranks%make(row)
  call column_ranks%make(column)
  associate (in_row => row_ranks%rank, in_column => column_ranks%rank)
    mx = (in_row + 1)*n/grid(1) - in_row*n/grid(1)                   ! as shares() divides
    my = mx
    mz = (in_column + 1)*n/grid(2) - in_column*n/grid(2)
    myz = mz
    first = [in_row*n/grid(1), in_column*n/grid(2)]
  end associate
  call make(xy, row_ranks, n, n, mz)                               ! a(x, y', z') <-> b(y, z', x')
  call make(yz, column_ranks, n, n, mx)                            ! b(y, z', x') <-> c(z, x', y')
  allocate (a(n, my, mz), b(n, mz, mx), c(n, mx, myz))
  do concurrent(x=1:n, y=1:my, z=1:mz)
    a(x, y, z) = cmplx(x + 0.25_real64*(first(1) + y), 1.0_real64/(first(2) + z), real64)
  end do

  begin = MPI_Wtime()
  do turn = 1, turns
    call transpose_forth(xy, a, b)
    do y = 1, n
      b(y, :, :) = b(y, :, :)*(1.0_real64 + 1.0_real64/(y + turn))     ! in place of a transform along y
    end do
    call transpose_forth(yz, b, c)
    do z = 1, n
      c(z, :, :) = c(z, :, :)*(1.0_real64 - 0.5_real64/(z + turn))
    end do
    call transpose_back(yz, c, b)
    call transpose_back(xy, b, a)
  end do
  seconds = (MPI_Wtime() - begin)/turns

  mine = 0
  do z = 1, mz
    do y = 1, my
      do x = 1, n
        mine = ieor(mine, ishftc(transfer(a(x, y, z)%re, 0_int64), mod(x + 3*(first(1) + y) + 5*(first(2) + z), 63)))
        mine = ieor(mine, ishftc(transfer(a(x, y, z)%im, 0_int64), mod(7*x + (first(1) + y) + 2*(first(2) + z), 63)))
      end do
    end do
  end do
  call MPI_Reduce(mine, checksum, 1, MPI_INTEGER8, MPI_BXOR, 0, world, error)
  if (rank == 0) print '(a, i0, a, i0, 3a, z16.16, a, f0.1, a)', "box of ", n, "^3 on ", ranks, " ranks by ", by, &
    ": checksum ", checksum, ", ", 1e6*seconds, " us for four transposes"
  call free(xy)
  call free(yz)
  call row_ranks%free()
  call column_ranks%free()
  call MPI_Finalize(error)

contains

  ! Word `i` of the command line as a positive number; `default` where there is none.
  integer function argument(i, default)
    integer, intent(in) :: i, default
    character(len=32) :: word
    integer :: problem
    argument = default
    if (command_argument_count() < i) return
    call get_command_argument(i, word)
    read (word, *, iostat=problem) argument
    if (problem == 0 .and. argument > 0) return
    print '(3a)', "pencils: '", trim(word), "' is no positive number; usage: pencils_mpi|pencils_tacit [SIDE [TURNS]]"
    call MPI_Abort(world, 2, problem)
  end function
end program
