// Tests the C interface, in C, on any number of ranks.
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L  // sched_yield
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacit/comm/c/tacit_comm.h"

enum { COUNT = 500 };

#define REQUIRE(condition)                                                                            \
  do {                                                                                                \
    if (!(condition)) {                                                                               \
      fprintf(stderr, "%s:%d: not so: %s; %s\n", __FILE__, __LINE__, #condition, tacit_last_error()); \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)
#define REQUIRE_OK(call) REQUIRE((call) == TACIT_OK)

static double value(uint32_t rank, int turn, size_t i) { return 1000.0 * rank + turn + 1e-3 * (double)i; }

// A ring: to the next rank, from the one before; on one rank to itself.
typedef struct ring {
  uint32_t rank, next, before;
  tacit_connection *to, *from;
} ring;

static ring ring_of(tacit_comm* comm, uint32_t key) {
  const uint32_t size = tacit_comm_size(comm);
  ring r = {.rank = tacit_comm_rank(comm)};
  r.next = (r.rank + 1) % size;
  r.before = (r.rank + size - 1) % size;
  REQUIRE_OK(tacit_connect(comm, r.next, key, &r.to));
  if (r.next == r.before) {
    r.from = r.to;
  } else {
    REQUIRE_OK(tacit_connect(comm, r.before, key, &r.from));
  }
  return r;
}

static void free_ring(ring* r) {
  if (r->from == r->to) r->from = NULL;
  REQUIRE_OK(tacit_connection_free(&r->to));
  REQUIRE_OK(tacit_connection_free(&r->from));
  REQUIRE(r->to == NULL && r->from == NULL);
}

// Whole and partial messages through memory of the library, by wait and by test.
static void exchange(tacit_comm* comm) {
  ring r = ring_of(comm, 0);
  tacit_send_window* out;
  tacit_recv_window* in;
  REQUIRE_OK(tacit_send_window_create(r.to, TACIT_DOUBLE, COUNT, NULL, 2, &out));
  REQUIRE_OK(tacit_recv_window_create(r.from, TACIT_DOUBLE, COUNT, NULL, 2, &in));
  REQUIRE_OK(tacit_connection_open(r.to));
  REQUIRE(tacit_send_capacity(out) == COUNT && tacit_recv_capacity(in) == COUNT);
  double* data = tacit_send_data(out);
  for (int turn = 0; turn < 300; ++turn) {
    const size_t count = turn % 3 == 0 ? COUNT : (size_t)turn;
    REQUIRE_OK(tacit_recv_init(in));
    for (size_t i = 0; i < count; ++i) data[i] = value(r.rank, turn, i);
    REQUIRE_OK(count == COUNT ? tacit_send_post(out) : tacit_send_post_part(out, count));
    tacit_status status = TACIT_NOT_YET;
    while (turn % 2 == 0 && (status = tacit_recv_test(in)) == TACIT_NOT_YET) {
      REQUIRE(tacit_send_test(out) <= TACIT_NOT_YET);
      sched_yield();
    }
    if (turn % 2 != 0) status = tacit_recv_wait(in);
    REQUIRE_OK(status);
    REQUIRE(tacit_recv_count(in) == count);
    const double* message = tacit_recv_message(in);
    for (size_t i = 0; i < count; ++i) REQUIRE(message[i] == value(r.before, turn, i));
    REQUIRE_OK(tacit_send_wait(out));
  }
  REQUIRE(tacit_connection_free(&r.to) == TACIT_BAD_USE && r.to != NULL);
  REQUIRE(strstr(tacit_last_error(), "windows of this connection") != NULL);
  REQUIRE_OK(tacit_send_window_free(&out));
  REQUIRE_OK(tacit_recv_window_free(&in));
  REQUIRE(tacit_comm_free(&comm) == TACIT_BAD_USE && comm != NULL);
  free_ring(&r);
}

// A column of a matrix goes out, and comes into a column; and a row into memory of ours in one piece.
static void exchange_columns(tacit_comm* comm) {
  enum { ROWS = 40, COLUMNS = 7 };
  static int32_t ours[ROWS][COLUMNS];
  static int32_t theirs[ROWS][COLUMNS];
  static int64_t row_out[COLUMNS];
  static int64_t row_in[COLUMNS];
  ring r = ring_of(comm, 1);
  const tacit_strided column_out = {&ours[0][2], ROWS, 1, COLUMNS};
  const tacit_strided column_in = {&theirs[0][5], ROWS, 1, COLUMNS};
  tacit_send_window* out[2];
  tacit_recv_window* in[2];
  REQUIRE_OK(tacit_send_window_create_strided(r.to, TACIT_INT32, &column_out, 1, &out[0]));
  REQUIRE_OK(tacit_send_window_create(r.to, TACIT_INT64, COLUMNS, row_out, 1, &out[1]));
  REQUIRE_OK(tacit_recv_window_create_strided(r.from, TACIT_INT32, &column_in, 1, &in[0]));
  REQUIRE_OK(tacit_recv_window_create(r.from, TACIT_INT64, COLUMNS, row_in, 1, &in[1]));
  REQUIRE(tacit_send_data(out[0]) == NULL && tacit_recv_message(in[0]) == NULL);
  for (int i = 0; i < ROWS; ++i) ours[i][2] = (int32_t)(100 * r.rank) + i;
  for (int i = 0; i < COLUMNS; ++i) row_out[i] = -(int64_t)(100 * r.rank) - i;
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_recv_init(in[i]));
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_send_post(out[i]));
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_recv_wait(in[i]));
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_send_wait(out[i]));
  for (int i = 0; i < ROWS; ++i) REQUIRE(theirs[i][5] == (int32_t)(100 * r.before) + i && theirs[i][4] == 0);
  REQUIRE(tacit_recv_message(in[1]) == row_in);
  for (int i = 0; i < COLUMNS; ++i) REQUIRE(row_in[i] == -(int64_t)(100 * r.before) - i);
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_send_window_free(&out[i]));
  for (int i = 0; i < 2; ++i) REQUIRE_OK(tacit_recv_window_free(&in[i]));
  free_ring(&r);
}

// What is used wrongly has a number and words.
static void misuse(tacit_comm* comm) {
  ring r = ring_of(comm, 2);
  tacit_send_window* out;
  tacit_recv_window* in;
  REQUIRE(tacit_send_window_create(r.to, TACIT_FLOAT, 10, NULL, 0, &out) == TACIT_BAD_USE && out == NULL);
  REQUIRE(tacit_send_window_create(r.to, 77, 10, NULL, 1, &out) == TACIT_BAD_USE);
  REQUIRE(strcmp(tacit_last_error(), "there is no such tacit_type") == 0);
  REQUIRE(tacit_send_window_create(NULL, TACIT_FLOAT, 10, NULL, 1, &out) == TACIT_BAD_USE);
  REQUIRE(tacit_send_window_create(r.to, TACIT_FLOAT, 10, NULL, 1, NULL) == TACIT_BAD_USE);
  // More than memory has, and what wraps to 8 B.
  const size_t endless[] = {SIZE_MAX, ((size_t)1 << 61) + 1};
  for (int i = 0; i < 2; ++i) {
    REQUIRE(tacit_send_window_create(r.to, TACIT_DOUBLE, endless[i], NULL, 1, &out) == TACIT_BAD_USE && out == NULL);
    REQUIRE(strstr(tacit_last_error(), "elements of 8 B are longer than any memory: 2^48 B at most") != NULL);
    const tacit_strided blocks = {&out, endless[i], 1, 8};
    REQUIRE(tacit_recv_window_create_strided(r.from, TACIT_DOUBLE, &blocks, 1, &in) == TACIT_BAD_USE && in == NULL);
    const tacit_strided apart = {&out, 2, 1, endless[i]};
    REQUIRE(tacit_recv_window_create_strided(r.from, TACIT_DOUBLE, &apart, 1, &in) == TACIT_BAD_USE && in == NULL);
  }
  float memory[4];
  const tacit_strided overlapping = {memory, 2, 3, 1};
  REQUIRE(tacit_recv_window_create_strided(r.from, TACIT_FLOAT, &overlapping, 1, &in) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_send_window_create(r.to, TACIT_FLOAT, 10, NULL, 1, &out));
  REQUIRE_OK(tacit_recv_window_create(r.from, TACIT_FLOAT, 10, NULL, 1, &in));
  REQUIRE(tacit_recv_wait(in) == TACIT_BAD_USE && tacit_recv_test(in) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_recv_init(in));
  REQUIRE(tacit_recv_init(in) == TACIT_BAD_USE);
  REQUIRE(tacit_send_post_part(out, 11) == TACIT_BAD_USE);
  REQUIRE(strstr(tacit_last_error(), "a message of 11 elements (44 B) is longer than send window 0") != NULL);
  REQUIRE(strstr(tacit_last_error(), "whose capacity is 10 (40 B)") != NULL);
  REQUIRE(tacit_send_post_part(out, ((size_t)1 << 62) + 1) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_send_post(out));
  REQUIRE(tacit_send_post(out) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_recv_wait(in));
  REQUIRE_OK(tacit_send_wait(out));
  REQUIRE(tacit_recv_test(NULL) == TACIT_BAD_USE && tacit_send_wait(NULL) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_send_window_free(&out));
  REQUIRE_OK(tacit_send_window_free(&out));
  REQUIRE_OK(tacit_recv_window_free(&in));
  free_ring(&r);
  tacit_connection* nowhere;
  REQUIRE(tacit_connect(comm, tacit_comm_size(comm), 0, &nowhere) == TACIT_TRANSPORT && nowhere == NULL);
  REQUIRE(strstr(tacit_last_error(), "there is no rank") != NULL);
  REQUIRE(strcmp(tacit_status_name(TACIT_PEER), "TACIT_PEER") == 0);
  REQUIRE(strcmp(tacit_status_name(99), "TACIT_UNKNOWN") == 0);
}

// Ends that differ are found and named; a message that does not come ends at the deadline.
static void failures(tacit_comm* comm) {
  ring r = ring_of(comm, 3);
  tacit_send_window* out;
  tacit_recv_window* in;
  REQUIRE_OK(tacit_send_window_create(r.to, TACIT_DOUBLE, 10, NULL, 1, &out));
  REQUIRE_OK(tacit_recv_window_create(r.from, TACIT_DOUBLE, 11, NULL, 1, &in));
  REQUIRE(tacit_connection_open(r.from) == TACIT_MISMATCH);
  REQUIRE(strstr(tacit_last_error(), "10 float64 of 8 B, depth 1") != NULL);
  REQUIRE_OK(tacit_comm_synchronise(comm));
  REQUIRE_OK(tacit_send_window_free(&out));
  REQUIRE_OK(tacit_recv_window_free(&in));
  free_ring(&r);

  r = ring_of(comm, 4);
  REQUIRE_OK(tacit_send_window_create(r.to, TACIT_BYTE, 10, NULL, 1, &out));
  REQUIRE_OK(tacit_recv_window_create(r.from, TACIT_BYTE, 10, NULL, 1, &in));
  REQUIRE_OK(tacit_connection_open(r.to));
  REQUIRE_OK(tacit_recv_init(in));
  REQUIRE(tacit_recv_wait(in) == TACIT_DEADLINE);
  REQUIRE(strstr(tacit_last_error(), "timed out after 0.3 s: message 1 of receive window 0") != NULL);
  REQUIRE_OK(tacit_comm_synchronise(comm));
  REQUIRE_OK(tacit_send_window_free(&out));
  REQUIRE_OK(tacit_recv_window_free(&in));
  free_ring(&r);
}

int main(void) {
  const tacit_options patient = {.setup_deadline_s = 60.0, .deadline_s = 60.0};
  tacit_comm* comm;
  REQUIRE_OK(tacit_comm_create(&patient, &comm));
  const uint32_t size = tacit_comm_size(comm);
  REQUIRE(tacit_comm_rank(comm) < size);
  REQUIRE(strcmp(tacit_last_error(), "no call has failed") == 0);
  exchange(comm);
  exchange_columns(comm);
  misuse(comm);
  REQUIRE_OK(tacit_comm_synchronise(comm));
  const uint32_t rank = tacit_comm_rank(comm);
  if (rank == 0) printf("good on %u ranks\n", size);
  REQUIRE_OK(tacit_comm_free(&comm));
  REQUIRE(comm == NULL);
  // A second communicator, for waits that end soon. Where there are others, MPI has ended with the first.
  const tacit_options hasty = {.deadline_s = 0.3};
  if (size > 1) {
    REQUIRE(tacit_comm_create(&hasty, &comm) == TACIT_TRANSPORT && comm == NULL);
    REQUIRE(strstr(tacit_last_error(), "MPI has been ended") != NULL);
    return 0;
  }
  REQUIRE_OK(tacit_comm_create(&hasty, &comm));
  failures(comm);
  REQUIRE_OK(tacit_comm_free(&comm));
  return 0;
}
