// Tests the collectives of the C interface, in C, on any number of ranks.
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L  // sched_yield
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacit/comm/c/tacit_comm.h"

enum { COUNT = 300, TURNS = 50 };

#define REQUIRE(condition)                                                                            \
  do {                                                                                                \
    if (!(condition)) {                                                                               \
      fprintf(stderr, "%s:%d: not so: %s; %s\n", __FILE__, __LINE__, #condition, tacit_last_error()); \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)
#define REQUIRE_OK(call) REQUIRE((call) == TACIT_OK)

// A call by start and test, start and wait, or run, in turns.
static void carry_out(tacit_collective* collective, int turn) {
  if (turn % 3 == 0) {
    REQUIRE_OK(tacit_collective_run(collective));
    return;
  }
  REQUIRE_OK(tacit_collective_start(collective));
  REQUIRE(tacit_collective_start(collective) == TACIT_BAD_USE);
  if (turn % 3 == 1) {
    REQUIRE_OK(tacit_collective_wait(collective));
    return;
  }
  tacit_status status;
  while ((status = tacit_collective_test(collective)) == TACIT_NOT_YET) sched_yield();
  REQUIRE_OK(status);
}

// Values that are sums of few halves: exact in any order.
static double value(uint32_t rank, int turn, int i) { return 0.5 * (double)rank + turn - (double)(i % 7); }

static void reductions(tacit_comm* comm) {
  const uint32_t size = tacit_comm_size(comm);
  const uint32_t rank = tacit_comm_rank(comm);
  static double in[COUNT], sum[COUNT];
  float most;
  int64_t least[2];
  tacit_collective *of_sum, *of_most, *of_least;
  REQUIRE_OK(tacit_allreduce_create(comm, TACIT_DOUBLE, COUNT, in, sum, TACIT_SUM, &of_sum));
  REQUIRE_OK(tacit_allreduce_create(comm, TACIT_FLOAT, 1, NULL, &most, TACIT_MAX, &of_most));
  REQUIRE_OK(tacit_allreduce_create(comm, TACIT_INT64, 2, NULL, least, TACIT_MIN, &of_least));
  for (int turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < COUNT; ++i) in[i] = value(rank, turn, i);
    most = (float)((rank + (uint32_t)turn) % size);
    least[0] = -(int64_t)rank - turn;
    least[1] = ((int64_t)1 << 40) + (int64_t)rank;
    carry_out(of_sum, turn);
    carry_out(of_most, turn + 1);
    carry_out(of_least, turn + 2);
    const double ranks = size;
    for (int i = 0; i < COUNT; ++i) {
      REQUIRE(sum[i] == 0.25 * ranks * (ranks - 1.0) + ranks * value(0, turn, i) && in[i] == value(rank, turn, i));
    }
    REQUIRE(most == (float)(size - 1));
    REQUIRE(least[0] == -(int64_t)(size - 1) - turn && least[1] == (int64_t)1 << 40);
  }
  REQUIRE_OK(tacit_collective_free(&of_sum));
  REQUIRE_OK(tacit_collective_free(&of_most));
  REQUIRE_OK(tacit_collective_free(&of_least));
  REQUIRE(of_sum == NULL);
}

typedef struct complex_number {
  double re, im;
} complex_number;

// The product of complex numbers: not an operation of ours. The context counts the calls.
static void multiply(void* accumulated, const void* other, size_t count, void* context) {
  complex_number* a = accumulated;
  const complex_number* b = other;
  for (size_t i = 0; i < count; ++i) {
    const complex_number product = {a[i].re * b[i].re - a[i].im * b[i].im, a[i].re * b[i].im + a[i].im * b[i].re};
    a[i] = product;
  }
  ++*(int*)context;
}

static void own_function(tacit_comm* comm) {
  const uint32_t size = tacit_comm_size(comm);
  complex_number in[3], out[3];
  int calls = 0;
  tacit_collective* product;
  REQUIRE_OK(tacit_allreduce_create_function(comm, sizeof(complex_number), 3, in, out, multiply, &calls, &product));
  for (int turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < 3; ++i) in[i] = (complex_number){0.0, 1.0 + i};  // i^n is 1, i, -1 or -i
    carry_out(product, turn);
    const complex_number powers[4] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
    for (int i = 0; i < 3; ++i) {
      double length = 1.0;
      for (uint32_t n = 0; n < size; ++n) length *= 1.0 + i;  // a small integer: exact
      REQUIRE(out[i].re == length * powers[size % 4].re && out[i].im == length * powers[size % 4].im);
    }
  }
  REQUIRE(size == 1 || calls > 0);
  REQUIRE_OK(tacit_collective_free(&product));
}

static void copies(tacit_comm* comm) {
  const uint32_t size = tacit_comm_size(comm);
  const uint32_t rank = tacit_comm_rank(comm);
  const uint32_t root = size - 1;
  int32_t news[5];
  uint32_t* ours = malloc(sizeof(uint32_t) * size * COUNT);
  uint32_t* theirs = malloc(sizeof(uint32_t) * size * COUNT);
  REQUIRE(ours != NULL && theirs != NULL);
  tacit_collective *barrier, *broadcast, *transpose, *in_place;
  REQUIRE_OK(tacit_barrier_create(comm, &barrier));
  REQUIRE_OK(tacit_broadcast_create(comm, root, TACIT_INT32, 5, news, &broadcast));
  REQUIRE_OK(tacit_alltoall_create(comm, TACIT_UINT32, COUNT, ours, theirs, &transpose));
  REQUIRE_OK(tacit_alltoall_create(comm, TACIT_UINT64, 2, NULL, NULL, &in_place));
  REQUIRE(tacit_alltoall_output(transpose) == NULL);
  for (uint32_t turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < 5; ++i) news[i] = rank == root ? (int32_t)turn + i : -1;
    for (uint32_t j = 0; j < size; ++j) {
      for (uint32_t i = 0; i < COUNT; ++i) ours[j * COUNT + i] = 1000000 * turn + 10000 * rank + 1000 * j + i;
    }
    void* input;
    REQUIRE_OK(tacit_alltoall_input(in_place, &input));
    for (uint32_t j = 0; j < size; ++j) {
      ((uint64_t*)input)[2 * j] = rank;
      ((uint64_t*)input)[2 * j + 1] = 100 * j + turn;
    }
    carry_out(broadcast, (int)turn);
    carry_out(transpose, (int)turn + 1);
    carry_out(in_place, (int)turn + 2);
    carry_out(barrier, (int)turn);
    for (int i = 0; i < 5; ++i) REQUIRE(news[i] == (int32_t)turn + i);
    const uint64_t* output = tacit_alltoall_output(in_place);
    for (uint32_t j = 0; j < size; ++j) {
      REQUIRE(output[2 * j] == j && output[2 * j + 1] == 100 * rank + turn);
      for (uint32_t i = 0; i < COUNT; ++i) {
        REQUIRE(theirs[j * COUNT + i] == 1000000 * turn + 10000 * j + 1000 * rank + i);
      }
    }
  }
  REQUIRE(tacit_comm_free(&comm) == TACIT_BAD_USE && comm != NULL);
  REQUIRE(strstr(tacit_last_error(), "collectives of this communicator") != NULL);
  REQUIRE_OK(tacit_collective_free(&barrier));
  REQUIRE_OK(tacit_collective_free(&broadcast));
  REQUIRE_OK(tacit_collective_free(&transpose));
  REQUIRE_OK(tacit_collective_free(&in_place));
  free(ours);
  free(theirs);
}

// Blocks of different sizes, some of them empty: rank i sends (i + 2 j) mod 5 elements to rank j.
static size_t block(size_t from, size_t to) { return (from + 2 * to) % 5; }

static void blocks_of_any_size(tacit_comm* comm) {
  const uint32_t size = tacit_comm_size(comm);
  const uint32_t rank = tacit_comm_rank(comm);
  size_t sent[64], received[64], all_sent = 0, all_received = 0;
  REQUIRE(size <= 64);
  for (uint32_t j = 0; j < size; ++j) {
    all_sent += sent[j] = block(rank, j);
    all_received += received[j] = block(j, rank);
  }
  int64_t* ours = malloc(sizeof(int64_t) * (all_sent + 1));
  int64_t* theirs = malloc(sizeof(int64_t) * (all_received + 1));
  REQUIRE(ours != NULL && theirs != NULL);
  tacit_collective *exchange, *in_library;
  REQUIRE_OK(tacit_alltoallv_create(comm, TACIT_INT64, sent, received, ours, theirs, &exchange));
  REQUIRE_OK(tacit_alltoallv_create(comm, TACIT_INT64, sent, received, NULL, NULL, &in_library));
  for (int turn = 0; turn < TURNS; ++turn) {
    void* input;
    REQUIRE_OK(tacit_alltoall_input(in_library, &input));
    size_t at = 0;
    for (uint32_t j = 0; j < size; ++j) {
      for (size_t i = 0; i < sent[j]; ++i) {
        ours[at + i] = ((int64_t*)input)[at + i] = 100000 * turn + 1000 * (int64_t)rank + 10 * (int64_t)j + (int64_t)i;
      }
      at += sent[j];
    }
    carry_out(exchange, turn);
    carry_out(in_library, turn + 1);
    const int64_t* output = tacit_alltoall_output(in_library);
    at = 0;
    for (uint32_t j = 0; j < size; ++j) {
      for (size_t i = 0; i < received[j]; ++i) {
        const int64_t expected = 100000 * turn + 1000 * (int64_t)j + 10 * (int64_t)rank + (int64_t)i;
        REQUIRE(theirs[at + i] == expected && output[at + i] == expected);
      }
      at += received[j];
    }
  }
  REQUIRE_OK(tacit_collective_free(&exchange));
  REQUIRE_OK(tacit_collective_free(&in_library));
  // One rank expects more than it will get: all learn of it.
  if (rank == size - 1) ++received[0];
  REQUIRE(tacit_alltoallv_create(comm, TACIT_INT64, sent, received, NULL, NULL, &exchange) == TACIT_MISMATCH);
  REQUIRE(strstr(tacit_last_error(), "rank 0 sends") != NULL && exchange == NULL);
  REQUIRE(tacit_alltoallv_create(comm, TACIT_INT64, NULL, received, ours, theirs, &exchange) == TACIT_BAD_USE);
  free(ours);
  free(theirs);
}

// What is used wrongly has a number and words, and does not count as a collective that was made.
static void misuse(tacit_comm* comm) {
  double data[4];
  tacit_collective* made;
  REQUIRE(tacit_allreduce_create(comm, TACIT_BYTE, 4, NULL, data, TACIT_SUM, &made) == TACIT_BAD_USE && made == NULL);
  REQUIRE(tacit_allreduce_create(comm, TACIT_DOUBLE, 4, NULL, data, 17, &made) == TACIT_BAD_USE);
  REQUIRE(strcmp(tacit_last_error(), "there is no such tacit_operation") == 0);
  REQUIRE(tacit_allreduce_create(comm, TACIT_DOUBLE, 4, data, NULL, TACIT_SUM, &made) == TACIT_BAD_USE);
  REQUIRE(tacit_allreduce_create(NULL, TACIT_DOUBLE, 4, NULL, data, TACIT_SUM, &made) == TACIT_BAD_USE);
  REQUIRE(tacit_allreduce_create_function(comm, 8, 4, NULL, data, NULL, NULL, &made) == TACIT_BAD_USE);
  REQUIRE(tacit_broadcast_create(comm, tacit_comm_size(comm), TACIT_INT32, 1, data, &made) == TACIT_BAD_USE);
  const size_t endless[] = {SIZE_MAX, ((size_t)1 << 61) + 1};  // more than memory has, and what wraps to 8 B
  for (int i = 0; i < 2; ++i) {
    REQUIRE(tacit_allreduce_create(comm, TACIT_DOUBLE, endless[i], NULL, data, TACIT_SUM, &made) == TACIT_BAD_USE);
    REQUIRE(strstr(tacit_last_error(), "longer than any memory") != NULL);
    REQUIRE(tacit_broadcast_create(comm, 0, TACIT_DOUBLE, endless[i], data, &made) == TACIT_BAD_USE);
    REQUIRE(tacit_alltoall_create(comm, TACIT_DOUBLE, endless[i], NULL, NULL, &made) == TACIT_BAD_USE && made == NULL);
  }
  REQUIRE(tacit_alltoall_create(comm, TACIT_DOUBLE, 0, data, data, &made) == TACIT_BAD_USE);
  REQUIRE(tacit_alltoall_create(comm, TACIT_DOUBLE, 0, data, NULL, &made) == TACIT_BAD_USE);
  REQUIRE(tacit_collective_run(NULL) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_barrier_create(comm, &made));
  void* input;
  REQUIRE(tacit_alltoall_input(made, &input) == TACIT_BAD_USE && input == NULL);
  REQUIRE(tacit_collective_wait(made) == TACIT_BAD_USE && tacit_collective_test(made) == TACIT_BAD_USE);
  REQUIRE_OK(tacit_collective_run(made));
  REQUIRE_OK(tacit_collective_free(&made));
  REQUIRE_OK(tacit_collective_free(&made));
}

int main(void) {
  const tacit_options patient = {.setup_deadline_s = 60.0, .deadline_s = 60.0};
  tacit_comm* comm;
  REQUIRE_OK(tacit_comm_create(&patient, &comm));
  reductions(comm);
  own_function(comm);
  copies(comm);
  blocks_of_any_size(comm);
  misuse(comm);
  if (tacit_comm_rank(comm) == 0) printf("good on %u ranks\n", tacit_comm_size(comm));
  REQUIRE_OK(tacit_comm_free(&comm));
  return 0;
}
