// In between: the calls of halo_mpi.c, carried out by Tacit for the neighbours that are declared once.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#define TACIT_MPI_REPLACE
#include "halo.h"
#include "tacit_mpi_shim.h"

struct halo {
  MPI_Comm ranks;
  int neighbour[FACES];
  int size[FACES];
  double* out[FACES];
  double* in[FACES];
  MPI_Request requests[2 * FACES];
};

halo* halo_create(MPI_Comm ranks, const heat* field) {
  halo* exchange = calloc(1, sizeof(halo));
  if (exchange == NULL) MPI_Abort(ranks, 1);
  exchange->ranks = ranks;
  for (int d = 0; d < 3; ++d) MPI_Cart_shift(ranks, d, 1, &exchange->neighbour[2 * d], &exchange->neighbour[2 * d + 1]);
  TACIT_Attach(ranks, NULL);
  for (int face = 0; face < FACES; ++face) {
    const MPI_Aint bytes = (MPI_Aint)(sizeof(double) * heat_face_size(field, face));
    TACIT_Declare_send(bytes, 2, exchange->neighbour[face], face, ranks);
    TACIT_Declare_recv(bytes, 2, exchange->neighbour[face], face ^ 1, ranks);
  }
  TACIT_Commit(ranks);
  for (int face = 0; face < FACES; ++face) {
    exchange->size[face] = (int)heat_face_size(field, face);
    exchange->out[face] = malloc(sizeof(double) * (size_t)exchange->size[face]);
    exchange->in[face] = malloc(sizeof(double) * (size_t)exchange->size[face]);
    if (exchange->out[face] == NULL || exchange->in[face] == NULL) MPI_Abort(ranks, 1);
  }
  return exchange;
}

// What is sent out of a face has its number as tag, and arrives at the opposite face.
void halo_begin(halo* exchange, const heat* field) {
  for (int face = 0; face < FACES; ++face) {
    MPI_Irecv(exchange->in[face], exchange->size[face], MPI_DOUBLE, exchange->neighbour[face], face ^ 1,
              exchange->ranks, &exchange->requests[face]);
  }
  for (int face = 0; face < FACES; ++face) {
    heat_pack(field, face, exchange->out[face]);
    MPI_Isend(exchange->out[face], exchange->size[face], MPI_DOUBLE, exchange->neighbour[face], face, exchange->ranks,
              &exchange->requests[FACES + face]);
  }
}

void halo_end(halo* exchange, heat* field) {
  MPI_Waitall(2 * FACES, exchange->requests, MPI_STATUSES_IGNORE);
  for (int face = 0; face < FACES; ++face) heat_unpack(field, face, exchange->in[face]);
}

void halo_free(halo* exchange) {
  TACIT_Detach(exchange->ranks);
  for (int face = 0; face < FACES; ++face) {
    free(exchange->out[face]);
    free(exchange->in[face]);
  }
  free(exchange);
}
