! Tests the module `tacit`, on any number of ranks.
! SPDX-License-Identifier: Apache-2.0
program test_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use tacit
  implicit none
  integer, parameter :: turns = 30
  type(tacit_communicator) :: world
  integer :: rank, ranks

  call tacit_create(world, tacit_options(setup_deadline_s=60.0_c_double, deadline_s=60.0_c_double))
  rank = tacit_rank(world)
  ranks = tacit_size(world)
  call ring()
  call reductions()
  call copies()
  call memory_of_the_library()
  call misuse()
  call tacit_synchronise(world)
  call tacit_free(world)
  if (rank == 0) print '(a, i0, a)', "good on ", ranks, " ranks"

contains

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    print '(a, i0, 4a)', "rank ", rank, ": not so: ", what, "; ", tacit_last_error()
    error stop
  end subroutine

  ! Messages of changing lengths go round: to the right, two of them under way.
  subroutine ring()
    type(tacit_connection) :: left, right
    type(tacit_send_window) :: out
    type(tacit_recv_window) :: in
    real(real64), asynchronous :: ours(100), theirs(100)
    integer :: turn, from, i
    integer(c_size_t) :: length
    from = modulo(rank - 1, ranks)
    call tacit_connect(world, modulo(rank + 1, ranks), 7, right)
    if (ranks <= 2) then                                            ! left and right are one
      call tacit_create(out, right, tacit_double, 100_c_size_t, ours, 2)
      call tacit_create(in, right, tacit_double, 100_c_size_t, theirs, 2)
    else
      call tacit_connect(world, from, 7, left)
      call tacit_create(out, right, tacit_double, 100_c_size_t, ours, 2)
      call tacit_create(in, left, tacit_double, 100_c_size_t, theirs, 2)
    end if
    call tacit_open(right)
    call tacit_init(in)
    do turn = 1, turns
      ours = [(1000.0_real64*rank + turn + 1e-3_real64*i, i=1, 100)]
      length = 1 + mod(17*turn, 100)
      if (turn == turns) length = 100
      if (length == 100) then
        call tacit_post(out)
      else
        call tacit_post(out, length)
      end if
      if (mod(turn, 2) == 0) then
        do while (.not. tacit_test(in))
        end do
      else
        call tacit_wait(in)
      end if
      call require(tacit_count(in) == length, "a message has the length that was sent")
      call require(all(theirs(:length) == expected(from, turn, int(length))), "a message is what was sent")
      call tacit_init(in)
      call tacit_wait(out)
    end do
    call tacit_free(out)
    call tacit_free(in)
    if (ranks > 2) call tacit_free(left)
    call tacit_free(right)
  end subroutine

  function expected(from, turn, length) result(values)
    integer, intent(in) :: from, turn, length
    real(real64) :: values(length)
    integer :: i
    values = [(1000.0_real64*from + turn + 1e-3_real64*i, i=1, length)]
  end function

  subroutine reductions()
    type(tacit_collective) :: of_sum, of_most, of_least
    real(real64), asynchronous :: sums(3)
    real(real32), asynchronous :: most(1)
    integer(int64), asynchronous :: least(2)
    integer :: turn
    call tacit_allreduce(of_sum, world, tacit_double, 3_c_size_t, sums, tacit_sum)
    call tacit_allreduce(of_most, world, tacit_float, 1_c_size_t, most, tacit_max)
    call tacit_allreduce(of_least, world, tacit_int64, 2_c_size_t, least, tacit_min)
    do turn = 1, turns
      sums = [0.5_real64*rank, real(turn, real64), 1.0_real64]
      most = real(mod(rank + turn, ranks), real32)
      least = [-int(rank, int64), 2_int64**40 + rank]
      call tacit_run(of_sum)
      call tacit_start(of_most)
      call tacit_wait(of_most)
      call tacit_start(of_least)
      do while (.not. tacit_test(of_least))
      end do
      call require(all(sums == [0.25_real64*ranks*(ranks - 1), real(turn*ranks, real64), real(ranks, real64)]), "sum")
      call require(nint(most(1)) == ranks - 1, "most")
      call require(least(1) == 1 - ranks .and. least(2) == 2_int64**40, "least")
    end do
    call tacit_free(of_sum)
    call tacit_free(of_most)
    call tacit_free(of_least)
  end subroutine

  subroutine copies()
    type(tacit_collective) :: barrier, news, transpose, blocks
    integer(int32), asynchronous :: told(5), ours(4, 0:ranks - 1), theirs(4, 0:ranks - 1)
    real(real64), asynchronous, allocatable :: sent(:), received(:)
    integer(c_size_t) :: lengths(0:ranks - 1), from(0:ranks - 1)
    integer :: turn, i, j
    lengths = [(int(mod(rank + 2*j, 5), c_size_t), j=0, ranks - 1)]
    from = [(int(mod(j + 2*rank, 5), c_size_t), j=0, ranks - 1)]
    allocate (sent(sum(lengths)), received(sum(from)))
    call tacit_barrier(barrier, world)
    call tacit_broadcast(news, world, ranks - 1, tacit_int32, 5_c_size_t, told)
    call tacit_alltoall(transpose, world, tacit_int32, 4_c_size_t, ours, theirs)
    call tacit_alltoallv(blocks, world, tacit_double, lengths, from, sent, received)
    do turn = 1, turns
      told = -1
      if (rank == ranks - 1) told = [(turn + i, i=1, 5)]
      do j = 0, ranks - 1
        ours(:, j) = [(1000*turn + 100*rank + 10*j + i, i=1, 4)]
      end do
      sent = [((100.0_real64*turn + 10*rank + j + 0.1_real64*i, i=1, int(lengths(j))), j=0, ranks - 1)]
      call tacit_run(news)
      call tacit_run(transpose)
      call tacit_run(blocks)
      call tacit_run(barrier)
      call require(all(told == [(turn + i, i=1, 5)]), "news of the last rank")
      do j = 0, ranks - 1
        call require(all(theirs(:, j) == [(1000*turn + 100*j + 10*rank + i, i=1, 4)]), "blocks of one length")
      end do
      call require(all(received == [((100.0_real64*turn + 10*j + rank + 0.1_real64*i, i=1, int(from(j))), &
                                     j=0, ranks - 1)]), "blocks of any length")
    end do
    call tacit_free(barrier)
    call tacit_free(news)
    call tacit_free(transpose)
    call tacit_free(blocks)
  end subroutine

  ! Without copies to and from memory of the caller.
  subroutine memory_of_the_library()
    type(tacit_connection) :: connection
    type(tacit_send_window) :: out
    type(tacit_recv_window) :: in
    type(tacit_collective) :: blocks
    type(c_ptr) :: memory
    integer(int64), pointer :: written(:), read(:)
    integer(c_size_t) :: lengths(0:ranks - 1), from(0:ranks - 1)
    integer :: turn, j, i
    call tacit_connect(world, rank, 1, connection)
    call tacit_create(out, connection, tacit_int64, 8_c_size_t)
    call tacit_create(in, connection, tacit_int64, 8_c_size_t)
    lengths = [(int(mod(rank + j, 3), c_size_t), j=0, ranks - 1)]
    from = lengths                                                  ! the matrix of lengths is symmetric
    call tacit_alltoallv(blocks, world, tacit_int64, lengths, from)
    do turn = 1, turns
      call tacit_init(in)
      call c_f_pointer(tacit_data(out), written, [8])
      written = [(int(turn*i, int64), i=1, 8)]
      call tacit_post(out)
      call tacit_wait(in)
      call c_f_pointer(tacit_message(in), read, [8])
      call require(all(read == [(int(turn*i, int64), i=1, 8)]), "a message in memory of the library")
      call tacit_wait(out)
      call tacit_input(blocks, memory)
      call c_f_pointer(memory, written, [sum(lengths)])
      written = [((int(100*turn + 10*rank + j + 1000*i, int64), i=1, int(lengths(j))), j=0, ranks - 1)]
      call tacit_run(blocks)
      call c_f_pointer(tacit_output(blocks), read, [sum(from)])
      call require(all(read == [((int(100*turn + 10*j + rank + 1000*i, int64), i=1, int(from(j))), j=0, ranks - 1)]), &
                   "blocks in memory of the library")
    end do
    call tacit_free(out)
    call tacit_free(in)
    call tacit_free(connection)
    call tacit_free(blocks)
  end subroutine

  ! What is used wrongly has a number and words.
  subroutine misuse()
    type(tacit_collective) :: made
    type(tacit_connection) :: connection
    type(tacit_communicator) :: none
    real(real64), asynchronous :: data(4)
    integer(c_int) :: status
    integer(c_size_t) :: too_many(ranks), lengths(ranks)
    logical :: is_over
    call require(tacit_rank(none) == -1 .and. tacit_size(none) == -1, "a communicator that was not made has no ranks")
    call tacit_allreduce(made, world, tacit_byte, 4_c_size_t, data, tacit_sum, status)
    call require(status == tacit_bad_use .and. tacit_status_name(status) == "TACIT_BAD_USE", "bytes have no sum")
    call tacit_connect(world, ranks, 0, connection, status)
    call require(status == tacit_transport .and. index(tacit_last_error(), "no rank") > 0, "there is no such rank")
    lengths = 0
    call tacit_alltoallv(made, world, tacit_double, [lengths, 1_c_size_t], lengths, data, data, status)
    call require(status == tacit_bad_use, "a count for each rank")
    too_many = 0
    if (rank == 0) too_many(ranks) = 1
    call tacit_alltoallv(made, world, tacit_double, lengths, too_many, data, data, status)
    call require(status == tacit_mismatch .and. index(tacit_last_error(), "expects 1") > 0, "counts are compared")
    call tacit_barrier(made, world)
    is_over = tacit_test(made, status)
    call require(.not. is_over .and. status == tacit_bad_use, "a test of a call that was not started")
    call tacit_run(made)
    call tacit_free(made)
  end subroutine
end program
