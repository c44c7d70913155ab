! Persistent one-sided messages and collectives between ranks, for Fortran 2018: the C interface with Fortran's types.
! SPDX-License-Identifier: Apache-2.0
!
!   use tacit
!   type(tacit_communicator) :: world
!   type(tacit_connection)   :: right
!   type(tacit_send_window)  :: out
!   real(real64), asynchronous :: face(1024)
!
!   call tacit_create(world)                                   ! ranks, as mpirun or srun started us; else one
!   call tacit_connect(world, 1, 0, right)
!   call tacit_create(out, right, tacit_double, 1024_c_size_t, face)
!   face = ...
!   call tacit_post(out)                                       ! now the memory is on loan
!   ...                                                        ! compute
!   call tacit_wait(out)
!
! Every procedure that can fail has an optional last argument `status`, one of tacit_ok, tacit_bad_use, ...; without it,
! an error stops the program with the words of tacit_last_error(). Arrays that are on loan are `asynchronous` or
! `target`, contiguous, and outlive the window or collective that was made with them: the compiler must neither copy
! them nor keep them in registers. Ranks are numbered from 0, as in MPI. The rules of windows are those of
! docs/guide/communication.md, the functions those of tacit_comm.h and tacit_collectives.h, which say more.
module tacit
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int32_t, c_null_ptr, &
                                         c_ptr, c_size_t
  implicit none
  private

  ! What a procedure answers.
  integer(c_int), parameter, public :: tacit_ok = 0, tacit_not_yet = 1, tacit_bad_use = 2, tacit_mismatch = 3, &
                                       tacit_deadline = 4, tacit_peer = 5, tacit_transport = 6, tacit_launch = 7, &
                                       tacit_system = 8, tacit_unknown = 9
  ! Types of elements: integer(int8), (int32), (int64), real(real32), (real64). A complex number is two reals.
  integer(c_int), parameter, public :: tacit_byte = 0, tacit_int32 = 1, tacit_int64 = 2, tacit_float = 5, &
                                       tacit_double = 6
  ! How an all-reduce combines two elements.
  integer(c_int), parameter, public :: tacit_sum = 0, tacit_max = 1, tacit_min = 2

  ! Times in seconds; 0: the default.
  type, bind(c), public :: tacit_options
    real(c_double) :: setup_deadline_s = 0  ! for a peer to take part in the set-up; 60
    real(c_double) :: deadline_s = 0        ! of every wait; 600
    real(c_double) :: stopped_s = 0         ! a rank of this node that was stopped for as long is given up; 10
  end type

  type, public :: tacit_communicator
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: tacit_connection
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: tacit_send_window
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: tacit_recv_window
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: tacit_collective
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! tacit_create(communicator [, options, status]): the ranks that the launcher started.
  ! tacit_create(window, connection, type, count [, memory, depth, status]): `count` elements of the longest message;
  ! without `memory` that of the library, which saves a copy: see tacit_data and tacit_message.
  interface tacit_create
    procedure create_communicator, create_send_window, create_recv_window
  end interface
  ! tacit_free(object [, status]); of a communicator: all ranks call it, when its connections and collectives are freed.
  interface tacit_free
    procedure free_communicator, free_connection, free_send_window, free_recv_window, free_collective
  end interface
  ! tacit_wait(object [, status]): until the memory of a send window may be used again; for the next message that was
  ! granted; until a collective is over.
  interface tacit_wait
    procedure wait_send_window, wait_recv_window, wait_collective
  end interface
  ! is_over = tacit_test(object [, status]): the same without waiting.
  interface tacit_test
    procedure test_send_window, test_recv_window, test_collective
  end interface

  public :: tacit_create, tacit_create_mpi, tacit_free, tacit_give_up, tacit_rank, tacit_size, tacit_synchronise
  public :: tacit_connect, tacit_open, tacit_post, tacit_init, tacit_count, tacit_wait, tacit_test
  public :: tacit_data, tacit_message, tacit_input, tacit_output
  public :: tacit_allreduce, tacit_barrier, tacit_broadcast, tacit_alltoall, tacit_alltoallv, tacit_start, tacit_run
  public :: tacit_last_error, tacit_status_name

  interface
    function c_last_error() bind(c, name="tacit_last_error") result(text)
      import c_ptr
      type(c_ptr) :: text
    end function
    function c_status_name(status) bind(c, name="tacit_status_name") result(text)
      import c_ptr, c_int
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(length)
      import c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function

    function c_comm_create(options, comm) bind(c, name="tacit_comm_create") result(status)
      import c_ptr, c_int, tacit_options
      type(tacit_options), intent(in) :: options
      type(c_ptr), intent(out) :: comm
      integer(c_int) :: status
    end function
    function c_comm_create_mpi(ranks, options, comm) bind(c, name="tacit_comm_create_mpi_fortran") result(status)
      import c_ptr, c_int, tacit_options
      integer(c_int), value :: ranks
      type(tacit_options), intent(in) :: options
      type(c_ptr), intent(out) :: comm
      integer(c_int) :: status
    end function
    function c_comm_free(comm) bind(c, name="tacit_comm_free") result(status)
      import c_ptr, c_int
      type(c_ptr), intent(inout) :: comm
      integer(c_int) :: status
    end function
    subroutine c_comm_give_up(comm) bind(c, name="tacit_comm_give_up")
      import c_ptr
      type(c_ptr), value :: comm
    end subroutine
    pure function c_comm_rank(comm) bind(c, name="tacit_comm_rank") result(rank)
      import c_ptr, c_int32_t
      type(c_ptr), value :: comm
      integer(c_int32_t) :: rank
    end function
    pure function c_comm_size(comm) bind(c, name="tacit_comm_size") result(ranks)
      import c_ptr, c_int32_t
      type(c_ptr), value :: comm
      integer(c_int32_t) :: ranks
    end function
    function c_comm_synchronise(comm) bind(c, name="tacit_comm_synchronise") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: comm
      integer(c_int) :: status
    end function

    function c_connect(comm, peer, key, connection) bind(c, name="tacit_connect") result(status)
      import c_ptr, c_int, c_int32_t
      type(c_ptr), value :: comm
      integer(c_int32_t), value :: peer, key
      type(c_ptr), intent(out) :: connection
      integer(c_int) :: status
    end function
    function c_connection_free(connection) bind(c, name="tacit_connection_free") result(status)
      import c_ptr, c_int
      type(c_ptr), intent(inout) :: connection
      integer(c_int) :: status
    end function
    function c_connection_open(connection) bind(c, name="tacit_connection_open") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: connection
      integer(c_int) :: status
    end function

    function c_send_create(connection, type, count, memory, depth, window) &
      bind(c, name="tacit_send_window_create") result(status)
      import c_ptr, c_int, c_size_t, c_int32_t
      type(c_ptr), value :: connection
      integer(c_int), value :: type
      integer(c_size_t), value :: count
      type(*), dimension(*), intent(in), optional :: memory  ! absent: NULL
      integer(c_int32_t), value :: depth
      type(c_ptr), intent(out) :: window
      integer(c_int) :: status
    end function
    function c_send_free(window) bind(c, name="tacit_send_window_free") result(status)
      import c_ptr, c_int
      type(c_ptr), intent(inout) :: window
      integer(c_int) :: status
    end function
    function c_send_data(window) bind(c, name="tacit_send_data") result(memory)
      import c_ptr
      type(c_ptr), value :: window
      type(c_ptr) :: memory
    end function
    function c_send_post(window) bind(c, name="tacit_send_post") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function
    function c_send_post_part(window, count) bind(c, name="tacit_send_post_part") result(status)
      import c_ptr, c_int, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: count
      integer(c_int) :: status
    end function
    function c_send_test(window) bind(c, name="tacit_send_test") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function
    function c_send_wait(window) bind(c, name="tacit_send_wait") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function

    function c_recv_create(connection, type, count, memory, depth, window) &
      bind(c, name="tacit_recv_window_create") result(status)
      import c_ptr, c_int, c_size_t, c_int32_t
      type(c_ptr), value :: connection
      integer(c_int), value :: type
      integer(c_size_t), value :: count
      type(*), dimension(*), optional :: memory
      integer(c_int32_t), value :: depth
      type(c_ptr), intent(out) :: window
      integer(c_int) :: status
    end function
    function c_recv_free(window) bind(c, name="tacit_recv_window_free") result(status)
      import c_ptr, c_int
      type(c_ptr), intent(inout) :: window
      integer(c_int) :: status
    end function
    function c_recv_init(window) bind(c, name="tacit_recv_init") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function
    function c_recv_test(window) bind(c, name="tacit_recv_test") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function
    function c_recv_wait(window) bind(c, name="tacit_recv_wait") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: window
      integer(c_int) :: status
    end function
    function c_recv_message(window) bind(c, name="tacit_recv_message") result(memory)
      import c_ptr
      type(c_ptr), value :: window
      type(c_ptr) :: memory
    end function
    function c_recv_count(window) bind(c, name="tacit_recv_count") result(count)
      import c_ptr, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t) :: count
    end function

    function c_allreduce(comm, type, count, in, out, operation, collective) &
      bind(c, name="tacit_allreduce_create") result(status)
      import c_ptr, c_int, c_size_t
      type(c_ptr), value :: comm, in
      integer(c_int), value :: type, operation
      integer(c_size_t), value :: count
      type(*), dimension(*) :: out
      type(c_ptr), intent(out) :: collective
      integer(c_int) :: status
    end function
    function c_barrier(comm, collective) bind(c, name="tacit_barrier_create") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: comm
      type(c_ptr), intent(out) :: collective
      integer(c_int) :: status
    end function
    function c_broadcast(comm, root, type, count, data, collective) &
      bind(c, name="tacit_broadcast_create") result(status)
      import c_ptr, c_int, c_size_t, c_int32_t
      type(c_ptr), value :: comm
      integer(c_int32_t), value :: root
      integer(c_int), value :: type
      integer(c_size_t), value :: count
      type(*), dimension(*) :: data
      type(c_ptr), intent(out) :: collective
      integer(c_int) :: status
    end function
    function c_alltoall(comm, type, count, in, out, collective) bind(c, name="tacit_alltoall_create") result(status)
      import c_ptr, c_int, c_size_t
      type(c_ptr), value :: comm
      integer(c_int), value :: type
      integer(c_size_t), value :: count
      type(*), dimension(*), intent(in), optional :: in
      type(*), dimension(*), optional :: out
      type(c_ptr), intent(out) :: collective
      integer(c_int) :: status
    end function
    function c_alltoallv(comm, type, sent, received, in, out, collective) &
      bind(c, name="tacit_alltoallv_create") result(status)
      import c_ptr, c_int, c_size_t
      type(c_ptr), value :: comm
      integer(c_int), value :: type
      integer(c_size_t), intent(in) :: sent(*), received(*)
      type(*), dimension(*), intent(in), optional :: in
      type(*), dimension(*), optional :: out
      type(c_ptr), intent(out) :: collective
      integer(c_int) :: status
    end function
    function c_alltoall_input(collective, memory) bind(c, name="tacit_alltoall_input") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: collective
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: status
    end function
    function c_alltoall_output(collective) bind(c, name="tacit_alltoall_output") result(memory)
      import c_ptr
      type(c_ptr), value :: collective
      type(c_ptr) :: memory
    end function
    function c_collective_start(collective) bind(c, name="tacit_collective_start") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: collective
      integer(c_int) :: status
    end function
    function c_collective_test(collective) bind(c, name="tacit_collective_test") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: collective
      integer(c_int) :: status
    end function
    function c_collective_wait(collective) bind(c, name="tacit_collective_wait") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: collective
      integer(c_int) :: status
    end function
    function c_collective_run(collective) bind(c, name="tacit_collective_run") result(status)
      import c_ptr, c_int
      type(c_ptr), value :: collective
      integer(c_int) :: status
    end function
    function c_collective_free(collective) bind(c, name="tacit_collective_free") result(status)
      import c_ptr, c_int
      type(c_ptr), intent(inout) :: collective
      integer(c_int) :: status
    end function
  end interface

contains

  ! The words of C at `text`.
  function words(text) result(copied)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: copied
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i, length
    length = c_strlen(text)
    call c_f_pointer(text, letters, [length])
    allocate (character(len=length) :: copied)
    do i = 1, length
      copied(i:i) = letters(i)
    end do
  end function

  ! The message of the last call that failed; it names ranks and hosts.
  function tacit_last_error() result(text)
    character(len=:), allocatable :: text
    text = words(c_last_error())
  end function

  ! "TACIT_PEER"
  function tacit_status_name(status) result(text)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: text
    text = words(c_status_name(status))
  end function

  ! Hands the answer to the caller, or stops where it is an error that the caller does not ask for.
  subroutine answer(code, status)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= tacit_ok) then
      error stop "tacit: "//tacit_status_name(code)//": "//tacit_last_error()
    end if
  end subroutine

  subroutine create_communicator(comm, options, status)
    type(tacit_communicator), intent(out) :: comm
    type(tacit_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(tacit_options) :: chosen
    if (present(options)) chosen = options
    call answer(c_comm_create(chosen, comm%handle), status)
  end subroutine

  ! The ranks of a communicator of MPI, which is started before and ended afterwards; all of them call it.
  ! ranks: `comm` of the module mpi, comm%mpi_val of mpi_f08. In builds of Tacit with MPI.
  subroutine tacit_create_mpi(comm, ranks, options, status)
    type(tacit_communicator), intent(out) :: comm
    integer, intent(in) :: ranks
    type(tacit_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(tacit_options) :: chosen
    if (present(options)) chosen = options
    call answer(c_comm_create_mpi(int(ranks, c_int), chosen, comm%handle), status)
  end subroutine

  subroutine free_communicator(comm, status)
    type(tacit_communicator), intent(inout) :: comm
    integer(c_int), intent(out), optional :: status
    call answer(c_comm_free(comm%handle), status)
  end subroutine

  ! Announces that this rank ends because of an error: the waits of the others end.
  subroutine tacit_give_up(comm)
    type(tacit_communicator), intent(in) :: comm
    call c_comm_give_up(comm%handle)
  end subroutine

  pure integer function tacit_rank(comm)
    type(tacit_communicator), intent(in) :: comm
    tacit_rank = -1  ! of a communicator that was not made
    if (c_associated(comm%handle)) tacit_rank = int(c_comm_rank(comm%handle))
  end function

  pure integer function tacit_size(comm)
    type(tacit_communicator), intent(in) :: comm
    tacit_size = -1  ! of a communicator that was not made
    if (c_associated(comm%handle)) tacit_size = int(c_comm_size(comm%handle))
  end function

  ! Waits until every rank has come here: for set-up and tests, slow.
  subroutine tacit_synchronise(comm, status)
    type(tacit_communicator), intent(in) :: comm
    integer(c_int), intent(out), optional :: status
    call answer(c_comm_synchronise(comm%handle), status)
  end subroutine

  ! The n-th connection to a rank with some key meets the n-th that the rank makes back with the same key.
  subroutine tacit_connect(comm, peer, key, connection, status)
    type(tacit_communicator), intent(in) :: comm
    integer, intent(in) :: peer, key
    type(tacit_connection), intent(out) :: connection
    integer(c_int), intent(out), optional :: status
    call answer(c_connect(comm%handle, int(peer, c_int32_t), int(key, c_int32_t), connection%handle), status)
  end subroutine

  ! Waits until the peer has made its windows, and compares them with ours. The first use of a window does it, too.
  subroutine tacit_open(connection, status)
    type(tacit_connection), intent(in) :: connection
    integer(c_int), intent(out), optional :: status
    call answer(c_connection_open(connection%handle), status)
  end subroutine

  subroutine free_connection(connection, status)
    type(tacit_connection), intent(inout) :: connection
    integer(c_int), intent(out), optional :: status
    call answer(c_connection_free(connection%handle), status)
  end subroutine

  subroutine create_send_window(window, connection, type, count, memory, depth, status)
    type(tacit_send_window), intent(out) :: window
    type(tacit_connection), intent(in) :: connection
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: count
    type(*), dimension(*), intent(in), asynchronous, optional :: memory
    integer, intent(in), optional :: depth
    integer(c_int), intent(out), optional :: status
    call answer(c_send_create(connection%handle, type, count, memory, messages(depth), window%handle), status)
  end subroutine

  subroutine create_recv_window(window, connection, type, count, memory, depth, status)
    type(tacit_recv_window), intent(out) :: window
    type(tacit_connection), intent(in) :: connection
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: count
    type(*), dimension(*), asynchronous, optional :: memory
    integer, intent(in), optional :: depth
    integer(c_int), intent(out), optional :: status
    call answer(c_recv_create(connection%handle, type, count, memory, messages(depth), window%handle), status)
  end subroutine

  ! Messages that may be granted and not taken yet: one, unless the user says how many.
  pure integer(c_int32_t) function messages(depth)
    integer, intent(in), optional :: depth
    messages = 1
    if (present(depth)) messages = int(depth, c_int32_t)
  end function

  ! Where the next message is written, for c_f_pointer; of a window that was made without `memory`.
  type(c_ptr) function tacit_data(window)
    type(tacit_send_window), intent(in) :: window
    tacit_data = c_send_data(window%handle)
  end function

  ! Where the message lies that was taken last, for c_f_pointer; valid until the next tacit_init.
  type(c_ptr) function tacit_message(window)
    type(tacit_recv_window), intent(in) :: window
    tacit_message = c_recv_message(window%handle)
  end function

  subroutine free_send_window(window, status)
    type(tacit_send_window), intent(inout) :: window
    integer(c_int), intent(out), optional :: status
    call answer(c_send_free(window%handle), status)
  end subroutine

  subroutine free_recv_window(window, status)
    type(tacit_recv_window), intent(inout) :: window
    integer(c_int), intent(out), optional :: status
    call answer(c_recv_free(window%handle), status)
  end subroutine

  ! Sends all, or the first `count` elements, as soon as the receiver grants it; does not block.
  subroutine tacit_post(window, count, status)
    type(tacit_send_window), intent(in) :: window
    integer(c_size_t), intent(in), optional :: count
    integer(c_int), intent(out), optional :: status
    if (present(count)) then
      call answer(c_send_post_part(window%handle, count), status)
    else
      call answer(c_send_post(window%handle), status)
    end if
  end subroutine

  ! Grants one message more; does not block. The message that was taken last is no longer valid.
  subroutine tacit_init(window, status)
    type(tacit_recv_window), intent(in) :: window
    integer(c_int), intent(out), optional :: status
    call answer(c_recv_init(window%handle), status)
  end subroutine

  ! Elements of the message that was taken last.
  integer(c_size_t) function tacit_count(window)
    type(tacit_recv_window), intent(in) :: window
    tacit_count = c_recv_count(window%handle)
  end function

  subroutine wait_send_window(window, status)
    type(tacit_send_window), intent(in) :: window
    integer(c_int), intent(out), optional :: status
    call answer(c_send_wait(window%handle), status)
  end subroutine

  subroutine wait_recv_window(window, status)
    type(tacit_recv_window), intent(in) :: window
    integer(c_int), intent(out), optional :: status
    call answer(c_recv_wait(window%handle), status)
  end subroutine

  subroutine wait_collective(collective, status)
    type(tacit_collective), intent(in) :: collective
    integer(c_int), intent(out), optional :: status
    call answer(c_collective_wait(collective%handle), status)
  end subroutine

  logical function test_send_window(window, status) result(is_over)
    type(tacit_send_window), intent(in) :: window
    integer(c_int), intent(out), optional :: status
    is_over = is_done(c_send_test(window%handle), status)
  end function

  logical function test_recv_window(window, status) result(is_over)
    type(tacit_recv_window), intent(in) :: window
    integer(c_int), intent(out), optional :: status
    is_over = is_done(c_recv_test(window%handle), status)
  end function

  logical function test_collective(collective, status) result(is_over)
    type(tacit_collective), intent(in) :: collective
    integer(c_int), intent(out), optional :: status
    is_over = is_done(c_collective_test(collective%handle), status)
  end function

  ! What a test answers; that something is not there yet is no error.
  logical function is_done(code, status)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    is_done = code == tacit_ok
    if (present(status) .or. code /= tacit_not_yet) call answer(code, status)
  end function

  ! Element i of `inout` on all ranks becomes the sum, or the most, or the least, of element i of all ranks.
  subroutine tacit_allreduce(collective, comm, type, count, inout, operation, status)
    type(tacit_collective), intent(out) :: collective
    type(tacit_communicator), intent(in) :: comm
    integer(c_int), intent(in) :: type, operation
    integer(c_size_t), intent(in) :: count
    type(*), dimension(*), asynchronous :: inout
    integer(c_int), intent(out), optional :: status
    call answer(c_allreduce(comm%handle, type, count, c_null_ptr, inout, operation, collective%handle), status)
  end subroutine

  subroutine tacit_barrier(collective, comm, status)
    type(tacit_collective), intent(out) :: collective
    type(tacit_communicator), intent(in) :: comm
    integer(c_int), intent(out), optional :: status
    call answer(c_barrier(comm%handle, collective%handle), status)
  end subroutine

  ! Copies what `data` holds on rank `root` to `data` on all ranks.
  subroutine tacit_broadcast(collective, comm, root, type, count, data, status)
    type(tacit_collective), intent(out) :: collective
    type(tacit_communicator), intent(in) :: comm
    integer, intent(in) :: root
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: count
    type(*), dimension(*), asynchronous :: data
    integer(c_int), intent(out), optional :: status
    call answer(c_broadcast(comm%handle, int(root, c_int32_t), type, count, data, collective%handle), status)
  end subroutine

  ! Block j of rank i, `count` elements, becomes block i of rank j. Without `in` and `out`: memory of the library, which
  ! saves a copy; see tacit_input.
  subroutine tacit_alltoall(collective, comm, type, count, in, out, status)
    type(tacit_collective), intent(out) :: collective
    type(tacit_communicator), intent(in) :: comm
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: count
    type(*), dimension(*), intent(in), asynchronous, optional :: in
    type(*), dimension(*), asynchronous, optional :: out
    integer(c_int), intent(out), optional :: status
    call answer(c_alltoall(comm%handle, type, count, in, out, collective%handle), status)
  end subroutine

  ! The same with blocks of any sizes, by rank, one behind the other; making it waits for the other ranks.
  ! sent, received: elements for each rank, and from each rank.
  subroutine tacit_alltoallv(collective, comm, type, sent, received, in, out, status)
    type(tacit_collective), intent(out) :: collective
    type(tacit_communicator), intent(in) :: comm
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: sent(:), received(:)
    type(*), dimension(*), intent(in), asynchronous, optional :: in
    type(*), dimension(*), asynchronous, optional :: out
    integer(c_int), intent(out), optional :: status
    if (size(sent) /= tacit_size(comm) .or. size(received) /= tacit_size(comm)) then
      if (.not. present(status)) error stop "tacit: tacit_alltoallv needs one count for each rank"
      status = tacit_bad_use
      return
    end if
    call answer(c_alltoallv(comm%handle, type, sent, received, in, out, collective%handle), status)
  end subroutine

  ! Where what this rank brings to the next call of an all-to-all without `in` and `out` is written, for c_f_pointer.
  ! Asked for before every call: it may be elsewhere.
  subroutine tacit_input(collective, memory, status)
    type(tacit_collective), intent(in) :: collective
    type(c_ptr), intent(out) :: memory
    integer(c_int), intent(out), optional :: status
    call answer(c_alltoall_input(collective%handle, memory), status)
  end subroutine

  ! Where what it got in the last call lies, asked for after every call.
  type(c_ptr) function tacit_output(collective)
    type(tacit_collective), intent(in) :: collective
    tacit_output = c_alltoall_output(collective%handle)
  end function

  ! Begins the next call; does not block.
  subroutine tacit_start(collective, status)
    type(tacit_collective), intent(in) :: collective
    integer(c_int), intent(out), optional :: status
    call answer(c_collective_start(collective%handle), status)
  end subroutine

  ! Start and wait; faster than these two.
  subroutine tacit_run(collective, status)
    type(tacit_collective), intent(in) :: collective
    integer(c_int), intent(out), optional :: status
    call answer(c_collective_run(collective%handle), status)
  end subroutine

  subroutine free_collective(collective, status)
    type(tacit_collective), intent(inout) :: collective
    integer(c_int), intent(out), optional :: status
    call answer(c_collective_free(collective%handle), status)
  end subroutine
end module
