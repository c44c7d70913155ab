// After: the halo exchange by windows, which are set up once.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "halo.h"
#include "tacit_comm.h"
#include "tacit_comm_mpi.h"

struct halo {
  MPI_Comm ranks;
  tacit_comm* comm;
  tacit_connection* to[FACES];
  tacit_connection* from[FACES];
  tacit_send_window* out[FACES];
  tacit_recv_window* in[FACES];
};

static void check(const halo* exchange, tacit_status status) {
  if (status == TACIT_OK) return;
  fprintf(stderr, "%s: %s\n", tacit_status_name(status), tacit_last_error());
  MPI_Abort(exchange->ranks, 1);
}

// What is sent out of a face has its number as key, and arrives at the opposite face. Where one rank is the neighbour
// on both sides, one connection carries both ends.
halo* halo_create(MPI_Comm ranks, const heat* field) {
  halo* exchange = calloc(1, sizeof(halo));
  if (exchange == NULL) MPI_Abort(ranks, 1);
  exchange->ranks = ranks;
  check(exchange, tacit_comm_create_mpi(ranks, NULL, &exchange->comm));
  int neighbour[FACES];
  for (int d = 0; d < 3; ++d) MPI_Cart_shift(ranks, d, 1, &neighbour[2 * d], &neighbour[2 * d + 1]);
  for (int face = 0; face < FACES; ++face) {
    const int opposite = face ^ 1;
    const size_t size = heat_face_size(field, face);
    tacit_connection** to = &exchange->to[face];
    tacit_connection** from = neighbour[face] == neighbour[opposite] ? to : &exchange->from[opposite];
    check(exchange, tacit_connect(exchange->comm, (uint32_t)neighbour[face], (uint32_t)face, to));
    if (from != to) check(exchange, tacit_connect(exchange->comm, (uint32_t)neighbour[opposite], (uint32_t)face, from));
    check(exchange, tacit_send_window_create(*to, TACIT_DOUBLE, size, NULL, 1, &exchange->out[face]));
    check(exchange, tacit_recv_window_create(*from, TACIT_DOUBLE, size, NULL, 1, &exchange->in[opposite]));
  }
  for (int face = 0; face < FACES; ++face) check(exchange, tacit_recv_init(exchange->in[face]));
  return exchange;
}

void halo_begin(halo* exchange, const heat* field) {
  for (int face = 0; face < FACES; ++face) {
    heat_pack(field, face, tacit_send_data(exchange->out[face]));
    check(exchange, tacit_send_post(exchange->out[face]));
  }
}

void halo_end(halo* exchange, heat* field) {
  for (int face = 0; face < FACES; ++face) {
    check(exchange, tacit_recv_wait(exchange->in[face]));
    heat_unpack(field, face, tacit_recv_message(exchange->in[face]));
    check(exchange, tacit_recv_init(exchange->in[face]));  // the neighbour may send its next layer
  }
  for (int face = 0; face < FACES; ++face) check(exchange, tacit_send_wait(exchange->out[face]));
}

void halo_free(halo* exchange) {
  for (int face = 0; face < FACES; ++face) {
    check(exchange, tacit_send_window_free(&exchange->out[face]));
    check(exchange, tacit_recv_window_free(&exchange->in[face]));
  }
  for (int face = 0; face < FACES; ++face) {
    check(exchange, tacit_connection_free(&exchange->to[face]));
    check(exchange, tacit_connection_free(&exchange->from[face]));
  }
  check(exchange, tacit_comm_free(&exchange->comm));
  free(exchange);
}
