/* The headers for C, and the calls that they put in place of MPI's, in C89 and (by shim_cxx98.cpp) in C++98. */
/* SPDX-License-Identifier: Apache-2.0 */
#define TACIT_MPI_REPLACE
#include <stdio.h>

#include "tacit_comm_mpi.h"
#include "tacit_mpi_shim.h"
#undef MPI_Allreduce /* these stay MPI's, as the guide says */

static int is_good(int condition, const char* what) {
  if (!condition) fprintf(stderr, "not so: %s; %s\n", what, tacit_last_error());
  if (!condition) MPI_Abort(MPI_COMM_WORLD, 1);
  return condition;
}

/* A message of a declared channel, of one that is none, and a request of MPI's own, in one array. */
static void test_any(MPI_Comm comm, int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int in[2] = {-1, -1}, sum = 0, index = 0, is_over = 0, ended = 0, which[3], found = 0;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request nothing[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  MPI_Testany(2, nothing, &index, &is_over, &status);
  is_good(is_over && index == MPI_UNDEFINED, "null requests are over");
  MPI_Irecv(&in[0], 1, MPI_INT, before, 1, comm, &requests[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, before, 2, comm, &requests[1]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, TACIT_Foreign(&requests[2]));
  MPI_Send(&rank, 1, MPI_INT, next, 1, comm);
  MPI_Send(&rank, 1, MPI_INT, next, 2, comm);
  while (found < 2) {
    MPI_Testany(3, requests, &index, &is_over, &status);
    if (is_over) ++found;
  }
  MPI_Waitsome(3, requests, &ended, which, MPI_STATUSES_IGNORE);
  is_good(ended == 1, "one was left");
  MPI_Testsome(3, requests, &ended, which, MPI_STATUSES_IGNORE);
  is_good(ended == MPI_UNDEFINED, "none is left");
  is_good(in[0] == before && in[1] == before && sum == size * (size - 1) / 2, "what came");
}

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  TACIT_Counts counts;
  tacit_options options = {60.0, 60.0, 0.0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  TACIT_Attach(MPI_COMM_WORLD, &options);
  TACIT_Declare_send((MPI_Aint)sizeof(int), 2, (rank + 1) % size, 1, MPI_COMM_WORLD);
  TACIT_Declare_recv((MPI_Aint)sizeof(int), 2, (rank + size - 1) % size, 1, MPI_COMM_WORLD);
  TACIT_Commit(MPI_COMM_WORLD);
  test_any(MPI_COMM_WORLD, rank, size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  TACIT_Get_counts(MPI_COMM_WORLD, &counts);
  is_good(counts.sent_by_window == 1 && counts.collectives == 0, "all-reduces are left to MPI");
  TACIT_Detach(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) puts("good");
  return 0;
}
