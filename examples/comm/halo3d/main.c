// Smooths heat in a periodic box on any number of ranks; prints a checksum that does not depend on their number.
// SPDX-License-Identifier: Apache-2.0
//
// usage: halo3d_mpi | halo3d_tacit [STEPS [BOX]]
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo.h"

// Cells of a box of `box`^3 that belong to this rank.
static void divide(MPI_Comm ranks, int box, int first[3], int n[3]) {
  int dims[3];
  int periods[3];
  int coords[3];
  MPI_Cart_get(ranks, 3, dims, periods, coords);
  for (int d = 0; d < 3; ++d) {
    first[d] = box * coords[d] / dims[d];
    n[d] = box * (coords[d] + 1) / dims[d] - first[d];
  }
}

static void run(MPI_Comm ranks, int steps, int box) {
  int first[3];
  int n[3];
  divide(ranks, box, first, n);
  heat field;
  if (!heat_create(&field, first, n, box)) MPI_Abort(ranks, 1);
  halo* exchange = halo_create(ranks, &field);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    halo_begin(exchange, &field);
    heat_smooth_inside(&field);  // while the layers are under way
    halo_end(exchange, &field);
    heat_smooth_rim(&field);
    heat_swap(&field);
  }
  const double seconds = MPI_Wtime() - begin;
  const uint64_t mine = heat_checksum(&field);
  uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, ranks);
  int rank;
  MPI_Comm_rank(ranks, &rank);
  if (rank == 0) printf("checksum %016" PRIx64 "\n%.2f us per step\n", all, 1e6 * seconds / steps);
  halo_free(exchange);
  heat_free(&field);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  const int box = argc > 2 ? atoi(argv[2]) : 24;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[3] = {0, 0, 0};
  const int periods[3] = {1, 1, 1};
  MPI_Dims_create(size, 3, dims);
  MPI_Comm ranks;
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &ranks);
  run(ranks, steps, box);
  MPI_Comm_free(&ranks);
  MPI_Finalize();
  return 0;
}
