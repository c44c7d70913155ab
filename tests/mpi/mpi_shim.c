// Tests the shim for programs of MPI, in C, against MPI itself: random messages, collectives, and what goes wrong.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_mpi_shim [ROUNDS [SEED [NODES]]]
//   NODES: a digit for the node of each rank: those of different nodes use MPI as the transport of their windows
#define _POSIX_C_SOURCE 200809L  // sched_yield
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacit/comm/c/tacit_mpi_shim.h"

enum { MOST = 24, LONGEST = 400, LIMIT = 200, DECLARED_TAGS = 3, TAGS = 5 };

#define REQUIRE(condition)                                                                            \
  do {                                                                                                \
    if (!(condition)) {                                                                               \
      fprintf(stderr, "%s:%d: not so: %s; %s\n", __FILE__, __LINE__, #condition, tacit_last_error()); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                   \
    }                                                                                                 \
  } while (0)
#define REQUIRE_OK(call) REQUIRE((call) == MPI_SUCCESS)

static int rank, size;
static const char* nodes;

int attach_on_nodes(MPI_Comm comm, double deadline_s, const char* digits);  // in mpi_shim_nodes.cpp

// The same numbers on all ranks, so that all know all messages.
static uint64_t state;
static int random_below(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

// Ints in one piece; every second one of twice as many; or listed in an order of their own.
enum { DENSE, EVERY_SECOND, BACKWARDS, KINDS };
static MPI_Datatype type_of(int kind, int length) {
  MPI_Datatype type;
  if (kind == DENSE) REQUIRE_OK(MPI_Type_contiguous(length, MPI_INT, &type));
  if (kind == EVERY_SECOND) REQUIRE_OK(MPI_Type_vector(length, 1, 2, MPI_INT, &type));
  if (kind == BACKWARDS) {
    int places[LONGEST];
    for (int i = 0; i < length; ++i) places[i] = length - 1 - i;
    REQUIRE_OK(MPI_Type_create_indexed_block(length, 1, places, MPI_INT, &type));
  }
  REQUIRE_OK(MPI_Type_commit(&type));
  return type;
}

typedef struct message {
  int from, to, tag, length, out_kind, in_kind, room;
} message;

static message random_message(void) {
  message m = {.from = random_below(size), .to = random_below(size), .tag = random_below(TAGS)};
  const int longest = random_below(3) == 0 ? LONGEST : LIMIT / 4;
  m.length = random_below(longest + 1);
  m.room = m.length + random_below(LONGEST - m.length + 1);
  m.out_kind = random_below(KINDS);
  m.in_kind = random_below(KINDS);
  if (m.in_kind == BACKWARDS) m.room = m.length;  // else its order would depend on the room
  return m;
}

// What a rank has to do in a round, carried out by either library.
typedef struct work {
  int out[MOST][2 * LONGEST], in[MOST][2 * LONGEST];
  int count[MOST], source[MOST], tag[MOST];
} work;

static work by_tacit, by_mpi;

static void note(work* w, int i, MPI_Status* status) {
  REQUIRE_OK(MPI_Get_count(status, MPI_INT, &w->count[i]));
  w->source[i] = status->MPI_SOURCE;
  w->tag[i] = status->MPI_TAG;
}

static void do_by_mpi(MPI_Comm comm, const message* messages, int n) {
  MPI_Request requests[2 * MOST];
  MPI_Status statuses[2 * MOST];
  for (int i = 0; i < 2 * n; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < n; ++i) {
    const message* m = &messages[i];
    if (m->to == rank) {
      MPI_Datatype type = type_of(m->in_kind, m->room);
      REQUIRE_OK(MPI_Irecv(by_mpi.in[i], 1, type, m->from, m->tag, comm, &requests[i]));
      MPI_Type_free(&type);
    }
    if (m->from == rank) {
      MPI_Datatype type = type_of(m->out_kind, m->length);
      REQUIRE_OK(MPI_Isend(by_mpi.out[i], 1, type, m->to, m->tag, comm, &requests[n + i]));
      MPI_Type_free(&type);
    }
  }
  REQUIRE_OK(MPI_Waitall(2 * n, requests, statuses));
  for (int i = 0; i < n; ++i) {
    if (messages[i].to == rank) note(&by_mpi, i, &statuses[i]);
  }
}

// Ends requests by one of seven methods; `mine` is random, and another on each rank.
static void end_all(int method, unsigned mine, int n, TACIT_Request* requests, MPI_Status* statuses) {
  if (method == 0) {
    REQUIRE_OK(TACIT_Waitall(n, requests, statuses));
  } else if (method == 1) {
    for (int i = 0; i < n; ++i) {
      const int j = (int)((mine + 7u * (unsigned)i) % (unsigned)n);  // each once where 7 does not divide n
      if (requests[j] != TACIT_REQUEST_NULL) REQUIRE_OK(TACIT_Wait(&requests[j], &statuses[j]));
    }
    for (int i = 0; i < n; ++i) {
      if (requests[i] != TACIT_REQUEST_NULL) REQUIRE_OK(TACIT_Wait(&requests[i], &statuses[i]));
    }
  } else if (method == 2) {
    int index;
    MPI_Status status;
    REQUIRE_OK(TACIT_Waitany(n, requests, &index, &status));
    while (index != MPI_UNDEFINED) {
      REQUIRE(requests[index] == TACIT_REQUEST_NULL);
      statuses[index] = status;
      REQUIRE_OK(TACIT_Waitany(n, requests, &index, &status));
    }
  } else if (method == 3) {
    int ended, indices[2 * MOST];
    MPI_Status some[2 * MOST];
    REQUIRE_OK(TACIT_Waitsome(n, requests, &ended, indices, some));
    while (ended != MPI_UNDEFINED) {
      REQUIRE(ended >= 1);
      for (int i = 0; i < ended; ++i) statuses[indices[i]] = some[i];
      REQUIRE_OK(TACIT_Waitsome(n, requests, &ended, indices, some));
    }
  } else if (method == 4) {
    int index, is_over;
    MPI_Status status;
    for (;;) {
      REQUIRE_OK(TACIT_Testany(n, requests, &index, &is_over, &status));
      if (is_over && index == MPI_UNDEFINED) break;
      if (is_over) statuses[index] = status;
      if (!is_over) sched_yield();
    }
  } else if (method == 5) {
    int ended, indices[2 * MOST];
    MPI_Status some[2 * MOST];
    for (;;) {
      REQUIRE_OK(TACIT_Testsome(n, requests, &ended, indices, some));
      if (ended == MPI_UNDEFINED) break;
      for (int i = 0; i < ended; ++i) statuses[indices[i]] = some[i];
      if (ended == 0) sched_yield();
    }
  } else {
    for (int are_over = 0; !are_over;) {
      are_over = 1;
      for (int i = 0; i < n; ++i) {
        int is_over;
        if (requests[i] == TACIT_REQUEST_NULL) continue;
        REQUIRE_OK(TACIT_Test(&requests[i], &is_over, &statuses[i]));
        if (!is_over) sched_yield();
        are_over = are_over && is_over;
      }
    }
  }
  for (int i = 0; i < n; ++i) REQUIRE(requests[i] == TACIT_REQUEST_NULL);
}

static void do_by_tacit(MPI_Comm comm, const message* messages, int n, int method, unsigned mine) {
  TACIT_Request requests[2 * MOST];
  MPI_Status statuses[2 * MOST];
  for (int i = 0; i < 2 * n; ++i) requests[i] = TACIT_REQUEST_NULL;
  for (int i = 0; i < n; ++i) {
    const message* m = &messages[i];
    if (m->to == rank) {
      MPI_Datatype type = type_of(m->in_kind, m->room);
      REQUIRE_OK(TACIT_Irecv(by_tacit.in[i], 1, type, m->from, m->tag, comm, &requests[i]));
      MPI_Type_free(&type);
    }
    if (m->from == rank) {
      MPI_Datatype type = type_of(m->out_kind, m->length);
      REQUIRE_OK(TACIT_Isend(by_tacit.out[i], 1, type, m->to, m->tag, comm, &requests[n + i]));
      MPI_Type_free(&type);
    }
  }
  end_all(method, mine, 2 * n, requests, statuses);
  for (int i = 0; i < n; ++i) {
    if (messages[i].to == rank) note(&by_tacit, i, &statuses[i]);
  }
}

static void random_messages(MPI_Comm comm, int rounds) {
  unsigned mine = 17u * (unsigned)rank;
  for (int round = 0; round < rounds; ++round) {
    message messages[MOST];
    const int n = 1 + random_below(MOST);
    for (int i = 0; i < n; ++i) messages[i] = random_message();
    memset(&by_mpi, 0, sizeof(by_mpi));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < 2 * LONGEST; ++j) by_mpi.out[i][j] = 1000000 * rank + 10000 * (round % 50) + 100 * i + j;
    }
    memcpy(&by_tacit, &by_mpi, sizeof(by_mpi));
    do_by_mpi(comm, messages, n);
    do_by_tacit(comm, messages, n, random_below(7), mine += 31u);
    REQUIRE(memcmp(&by_mpi, &by_tacit, sizeof(by_mpi)) == 0);
  }
  TACIT_Counts counts;
  REQUIRE_OK(TACIT_Get_counts(comm, &counts));
  if (rounds >= 100) REQUIRE(counts.sent_by_window > 100 && counts.sent_by_mpi > 20);
}

// A neighbour's layers, again and again, with MPI's own types, and calls without requests.
static void halo(MPI_Comm comm) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  TACIT_Counts first, last;
  REQUIRE_OK(TACIT_Get_counts(comm, &first));
  for (int turn = 0; turn < 300; ++turn) {
    float up[50], down[50], from_below[50] = {0}, from_above[50] = {0};
    for (int i = 0; i < 50; ++i) up[i] = (float)(1000 * rank + turn + i), down[i] = -up[i];
    if (turn % 2 == 0) {
      TACIT_Request requests[4];
      REQUIRE_OK(TACIT_Irecv(from_below, 50, MPI_FLOAT, before, 0, comm, &requests[0]));
      REQUIRE_OK(TACIT_Irecv(from_above, 50, MPI_FLOAT, next, 1, comm, &requests[1]));
      REQUIRE_OK(TACIT_Isend(up, 50, MPI_FLOAT, next, 0, comm, &requests[2]));
      REQUIRE_OK(TACIT_Isend(down, 50, MPI_FLOAT, before, 1, comm, &requests[3]));
      int are_over = 0;
      for (;;) {
        REQUIRE_OK(TACIT_Testall(4, requests, &are_over, MPI_STATUSES_IGNORE));
        if (are_over) break;
        sched_yield();
      }
    } else {
      REQUIRE_OK(
          TACIT_Sendrecv(up, 50, MPI_FLOAT, next, 0, from_below, 50, MPI_FLOAT, before, 0, comm, MPI_STATUS_IGNORE));
      REQUIRE_OK(TACIT_Send(down, 50, MPI_FLOAT, before, 1, comm));  // fits in the window: does not wait
      REQUIRE_OK(TACIT_Recv(from_above, 50, MPI_FLOAT, next, 1, comm, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < 50; ++i) {
      REQUIRE(from_below[i] == (float)(1000 * before + turn + i) && from_above[i] == -(float)(1000 * next + turn + i));
    }
  }
  REQUIRE_OK(TACIT_Get_counts(comm, &last));
  REQUIRE(last.sent_by_window - first.sent_by_window == 600 && last.sent_by_mpi == first.sent_by_mpi);
}

static void compare_all_to_all(MPI_Comm comm, int block, int kind, int in_place) {
  const int ints = size * 2 * LONGEST;
  int* out = malloc(sizeof(int) * (size_t)ints);
  int* a = calloc((size_t)ints, sizeof(int));
  int* b = calloc((size_t)ints, sizeof(int));
  REQUIRE(out != NULL && a != NULL && b != NULL);
  MPI_Datatype type = type_of(kind, block);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < ints; ++i) out[i] = a[i] = b[i] = 10000 * rank + 1000 * turn + i;
    const void* from_a = in_place ? MPI_IN_PLACE : out;
    REQUIRE_OK(MPI_Alltoall(from_a, 1, type, a, block, MPI_INT, comm));
    REQUIRE_OK(TACIT_Alltoall(from_a, 1, type, b, block, MPI_INT, comm));
    REQUIRE(memcmp(a, b, sizeof(int) * (size_t)ints) == 0);
    // And from dense memory into that of the type.
    REQUIRE_OK(MPI_Alltoall(out, block, MPI_INT, a, 1, type, comm));
    REQUIRE_OK(TACIT_Alltoall(out, block, MPI_INT, b, 1, type, comm));
    REQUIRE(memcmp(a, b, sizeof(int) * (size_t)ints) == 0);
  }
  MPI_Type_free(&type);
  free(out);
  free(a);
  free(b);
}

// Of each type and operation: numbers whose sums are exact, so that no order of terms matters.
static void compare_all_reduce(MPI_Comm comm, MPI_Datatype type, MPI_Op operation, int count) {
  union {
    double d[40];
    float f[40];
    int i[40];
    long l[40];
  } out, a, b;
  memset(&out, 0, sizeof(out));
  for (int i = 0; i < 40; ++i) {
    const int n = (rank + 1) * (i % 5 - 2) + i;
    if (type == MPI_INT) out.i[i] = n;
    if (type == MPI_LONG) out.l[i] = n;
    if (type == MPI_FLOAT) out.f[i] = (float)n;
    if (type == MPI_DOUBLE) out.d[i] = n;
  }
  if (type == MPI_C_DOUBLE_COMPLEX) {
    for (int i = 0; i < 40; ++i) out.d[i] = rank - i;
  }
  a = b = out;
  for (int turn = 0; turn < 4; ++turn) {
    const void* from_a = turn % 2 == 0 ? MPI_IN_PLACE : (void*)&out;
    REQUIRE_OK(MPI_Allreduce(from_a, &a, count, type, operation, comm));
    REQUIRE_OK(TACIT_Allreduce(from_a, &b, count, type, operation, comm));
    REQUIRE(memcmp(&a, &b, sizeof(a)) == 0);
  }
}

static void collectives(MPI_Comm comm) {
  TACIT_Counts first, last;
  REQUIRE_OK(TACIT_Get_counts(comm, &first));
  for (int kind = 0; kind < KINDS; ++kind) {
    for (int block = 1; block <= LONGEST; block = 3 * block + 1) compare_all_to_all(comm, block, kind, 0);
  }
  compare_all_to_all(comm, 5, DENSE, 1);
  const MPI_Op operations[3] = {MPI_SUM, MPI_MAX, MPI_MIN};
  for (int count = 1; count <= 20; count = count < 3 ? count + 1 : 2 * count) {
    for (int i = 0; i < 3; ++i) {
      compare_all_reduce(comm, MPI_INT, operations[i], count);
      compare_all_reduce(comm, MPI_LONG, operations[i], count);
      compare_all_reduce(comm, MPI_FLOAT, operations[i], count);
      compare_all_reduce(comm, MPI_DOUBLE, operations[i], count);
    }
    compare_all_reduce(comm, MPI_C_DOUBLE_COMPLEX, MPI_SUM, count);
  }
  compare_all_reduce(comm, MPI_INT, MPI_BXOR, 3);  // is left to MPI
  REQUIRE_OK(TACIT_Get_counts(comm, &last));
  // 19 all-to-alls of 2 calls in 3 turns; 13 all-reduces of 5 lengths in 4 turns.
  REQUIRE(last.collectives - first.collectives == 19 * 6 + 13 * 5 * 4);
}

// A long message of MPI's, whose sender waits for other things first: MPI must be carried on meanwhile. For one rank or
// an even number.
static void long_messages_of_mpi(MPI_Comm comm) {
  enum { LONG = 1 << 20 };
  char* out = malloc(LONG);
  char* in = malloc(LONG);
  REQUIRE(out != NULL && in != NULL);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int turn = 0; turn < 6; ++turn) {
    memset(out, turn + rank, LONG);
    MPI_Request request;
    TACIT_Request late;
    int n = 1, sum = 0;
    REQUIRE_OK(MPI_Isend(out, LONG, MPI_CHAR, next, TAGS, comm, &request));
    if (rank % 2 == 0) {
      // Odd ranks send this only when they have the long message.
      REQUIRE_OK(TACIT_Irecv(&n, 1, MPI_INT, before, 0, comm, &late));
      if (size > 1 && turn % 2 == 0) REQUIRE_OK(TACIT_Wait(&late, MPI_STATUS_IGNORE));
    }
    REQUIRE_OK(MPI_Recv(in, LONG, MPI_CHAR, before, TAGS, comm, MPI_STATUS_IGNORE));
    REQUIRE(in[0] == (char)(turn + before) && in[LONG - 1] == in[0]);
    if (rank % 2 == 1 || size == 1) REQUIRE_OK(TACIT_Send(&n, 1, MPI_INT, next, 0, comm));
    if (rank % 2 == 0 && (size == 1 || turn % 2 == 1)) REQUIRE_OK(TACIT_Wait(&late, MPI_STATUS_IGNORE));
    REQUIRE_OK(TACIT_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, comm));
    REQUIRE(sum == size);
    REQUIRE_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  free(out);
  free(in);
}

// Null requests, ranks that are none, and requests that MPI has made.
static void corners(MPI_Comm comm) {
  TACIT_Request none = TACIT_REQUEST_NULL;
  MPI_Status status;
  int flag, count, index, sum = 0;
  REQUIRE_OK(TACIT_Wait(&none, &status));
  REQUIRE_OK(MPI_Get_count(&status, MPI_INT, &count));
  REQUIRE(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0);
  REQUIRE_OK(TACIT_Test(&none, &flag, MPI_STATUS_IGNORE));
  REQUIRE(flag);
  REQUIRE_OK(TACIT_Waitany(1, &none, &index, MPI_STATUS_IGNORE));
  REQUIRE(index == MPI_UNDEFINED);
  REQUIRE_OK(TACIT_Testany(1, &none, &index, &flag, &status));
  REQUIRE(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
  REQUIRE_OK(TACIT_Testsome(1, &none, &count, &index, MPI_STATUSES_IGNORE));
  REQUIRE(count == MPI_UNDEFINED);
  REQUIRE_OK(TACIT_Waitsome(1, &none, &count, &index, MPI_STATUSES_IGNORE));
  REQUIRE(count == MPI_UNDEFINED);
  REQUIRE_OK(TACIT_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  TACIT_Request request;
  REQUIRE_OK(TACIT_Irecv(&sum, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request));
  REQUIRE_OK(TACIT_Wait(&request, &status));
  REQUIRE(status.MPI_SOURCE == MPI_PROC_NULL && request == TACIT_REQUEST_NULL);
  REQUIRE_OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, TACIT_Foreign(&request)));
  REQUIRE_OK(TACIT_Wait(&request, MPI_STATUS_IGNORE));
  REQUIRE(sum == size * (size - 1) / 2);
  REQUIRE_OK(TACIT_Irecv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, TAGS - 1, comm, &request));  // of no channel: allowed
  REQUIRE_OK(TACIT_Send(&rank, 1, MPI_INT, (rank + 1) % size, TAGS - 1, comm));
  REQUIRE_OK(TACIT_Wait(&request, &status));
  REQUIRE(status.MPI_SOURCE == (rank + size - 1) % size && sum == status.MPI_SOURCE);
}

static void failures(MPI_Comm comm) {
  int data[4] = {0, 0, 0, 7};
  const int out[4] = {1, 2, 3, 4};
  TACIT_Request request;
  char words[MPI_MAX_ERROR_STRING];
  int length;
  // What is sent without a declaration would not meet what is received with one.
  const int code = TACIT_Irecv(data, 4, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request);
  REQUIRE(code != MPI_SUCCESS && request == TACIT_REQUEST_NULL);
  REQUIRE_OK(MPI_Error_string(code, words, &length));
  REQUIRE(strstr(words, "a wildcard might mean messages of a declared channel") != NULL);
  REQUIRE(TACIT_Irecv(data, 4, MPI_INT, rank, MPI_ANY_TAG, comm, &request) != MPI_SUCCESS);
  // A message is longer than the memory for it: in the window, and beside it.
  REQUIRE_OK(TACIT_Isend(out, 4, MPI_INT, rank, 0, comm, &request));
  REQUIRE(TACIT_Recv(data, 3, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
  REQUIRE(data[2] == 3 && data[3] == 7);
  REQUIRE(TACIT_Detach(comm) != MPI_SUCCESS);
  REQUIRE(strcmp(tacit_last_error(), "requests of this communicator are under way") == 0);
  REQUIRE_OK(TACIT_Wait(&request, MPI_STATUS_IGNORE));
  REQUIRE(TACIT_Alltoall(out, 0, MPI_INT, data, 1, MPI_INT, comm) != MPI_SUCCESS);
  REQUIRE(strstr(tacit_last_error(), "blocks of another length") != NULL);
  // Set-up.
  REQUIRE(TACIT_Attach(comm, NULL) != MPI_SUCCESS);
  REQUIRE(TACIT_Declare_send(8, 1, size, 0, comm) != MPI_SUCCESS);
  REQUIRE(TACIT_Declare_send(0, 1, rank, 0, comm) != MPI_SUCCESS);
  REQUIRE(TACIT_Declare_recv(8, 1, rank, MPI_ANY_TAG, comm) != MPI_SUCCESS);
  // A channel that only one end declares, and one of two lengths: all ranks are told, and what there was stays.
  if (rank == 0) REQUIRE_OK(TACIT_Declare_send(8, 1, size - 1, 77, comm));
  REQUIRE(TACIT_Commit(comm) != MPI_SUCCESS);
  if (rank == 0) REQUIRE(strstr(tacit_last_error(), "declares 1 sends to rank") != NULL);
  if (rank == 0) REQUIRE_OK(TACIT_Declare_send(8, 1, size - 1, 77, comm));
  if (rank == size - 1) REQUIRE_OK(TACIT_Declare_recv(16, 1, 0, 77, comm));
  REQUIRE(TACIT_Commit(comm) != MPI_SUCCESS);
  if (rank == 0) REQUIRE(strstr(tacit_last_error(), "8 byte, tag 77, of 1 B, depth 1") != NULL);
  if (rank == 0) REQUIRE_OK(TACIT_Declare_send(8, 1, size - 1, 77, comm));
  if (rank == size - 1) REQUIRE_OK(TACIT_Declare_recv(8, 1, 0, 78, comm));
  REQUIRE(TACIT_Commit(comm) != MPI_SUCCESS);
}

static void attach_alone(MPI_Comm comm, double deadline_s) {
  const tacit_options options = {.setup_deadline_s = 60.0, .deadline_s = deadline_s};
  if (nodes == NULL) {
    REQUIRE_OK(TACIT_Attach(comm, &options));
  } else {
    REQUIRE(attach_on_nodes(comm, deadline_s, nodes));
  }
}

static void attach(MPI_Comm comm, double deadline_s) {
  attach_alone(comm, deadline_s);
  for (int peer = 0; peer < size; ++peer) {
    for (int tag = 0; tag < DECLARED_TAGS; ++tag) {
      REQUIRE_OK(TACIT_Declare_send(LIMIT, 1 + tag, peer, tag, comm));
      REQUIRE_OK(TACIT_Declare_recv(LIMIT, 1 + tag, peer, tag, comm));
    }
  }
  REQUIRE_OK(TACIT_Declare_send(1, 1, MPI_PROC_NULL, 0, comm));
  REQUIRE_OK(TACIT_Commit(comm));
}

// What never comes ends at the deadline, with words; what comes after that can still be waited for.
static void impossible(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  attach(comm, 0.3);
  TACIT_Request request;
  int data = 0;
  REQUIRE_OK(TACIT_Irecv(&data, 1, MPI_INT, rank, 0, comm, &request));
  REQUIRE(TACIT_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS && request != TACIT_REQUEST_NULL);
  REQUIRE(strstr(tacit_last_error(), "timed out after 0.3 s: message 1 of receive window 0") != NULL);
  const int out = 5;
  REQUIRE_OK(TACIT_Send(&out, 1, MPI_INT, rank, 0, comm));
  REQUIRE_OK(TACIT_Wait(&request, MPI_STATUS_IGNORE));
  REQUIRE(data == 5);
  REQUIRE_OK(TACIT_Detach(comm));
  MPI_Comm_free(&comm);
}

// What the shim asks of MPI: these stand before MPI's own.
static int questions, is_watching, left_behind;

int MPI_T_init_thread(int required, int* provided) {
  ++questions;
  return PMPI_T_init_thread(required, provided);
}

// Looks whether messages have come that nobody will receive.
int MPI_Comm_free(MPI_Comm* comm) {
  if (is_watching) {
    int has_come = 0;
    PMPI_Barrier(*comm);
    for (int i = 0; i < 1000 && !has_come; ++i) {
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &has_come, MPI_STATUS_IGNORE);
    }
    left_behind += has_come;
  }
  return PMPI_Comm_free(comm);
}

// Who attaches again and again pays for a question to MPI once, and leaves nothing in it.
static void attach_again(void) {
  enum { LONG = 100000 };  // over TCP in pieces
  char* out = calloc(1, LONG);
  char* in = calloc(1, LONG);
  REQUIRE(out != NULL && in != NULL);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  is_watching = 1;
  for (int turn = 0; turn < 4; ++turn) {
    attach_alone(comm, 60.0);
    REQUIRE_OK(TACIT_Declare_send(LONG, 8, next, 0, comm));
    REQUIRE_OK(TACIT_Declare_recv(LONG, 8, before, 0, comm));
    REQUIRE_OK(TACIT_Commit(comm));
    for (int sent = 0; sent < turn; ++sent) {
      memset(out, rank + turn, LONG);
      REQUIRE_OK(TACIT_Sendrecv(out, LONG, MPI_CHAR, next, 0, in, LONG, MPI_CHAR, before, 0, comm, MPI_STATUS_IGNORE));
      REQUIRE(in[0] == (char)(before + turn) && in[LONG - 1] == in[0]);
    }
    REQUIRE_OK(TACIT_Detach(comm));
  }
  is_watching = 0;
  REQUIRE(questions <= 1);
  REQUIRE(left_behind == 0);
  MPI_Comm_free(&comm);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 500;
  state = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
  if (argc > 3) nodes = argv[3];
  REQUIRE_OK(MPI_Init(&argc, &argv));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  REQUIRE(TACIT_Commit(comm) != MPI_SUCCESS);
  attach(comm, 60.0);
  random_messages(comm, rounds);
  halo(comm);
  collectives(comm);
  long_messages_of_mpi(comm);
  corners(comm);
  failures(comm);
  halo(comm);
  REQUIRE_OK(TACIT_Detach(comm));
  attach(comm, 60.0);
  halo(comm);
  MPI_Comm_free(&comm);  // detaches
  impossible();
  attach_again();
  if (rank == 0) printf("good on %d ranks\n", size);
  MPI_Finalize();
  return 0;
}
