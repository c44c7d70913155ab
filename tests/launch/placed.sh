#!/usr/bin/env bash
# Places two ranks on this machine by `tacit place` and starts them where its files say, by srun or Open MPI's mpirun.
# SPDX-License-Identifier: Apache-2.0
#
# usage: placed.sh PROGRAM srun|mpirun. Says "placed: RANK on NODE" for each rank.
set -euo pipefail
program=$1
launcher=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node=$(hostname -s)
if [[ $launcher == mpirun ]]; then node=$(hostname); fi
cat >"$folder/machine.toml" <<TOML
[graph]
routers = "s"
nodes = [{router = "s", names = "$node"}]
[nodes]
bandwidth = "1 GB/s"
TOML
# The program sees no launcher around it.
env -u SLURM_NTASKS -u SLURM_PROCID "$program" place "$folder/machine.toml" --ranks 2 --ranks-per-node 2 \
  --output "$folder/placement" >/dev/null
if [[ $launcher == mpirun ]]; then
  # shellcheck disable=SC2016
  mpirun.openmpi --oversubscribe --rankfile "$folder/placement/rankfile" -n 2 \
    sh -c 'echo "placed: $OMPI_COMM_WORLD_RANK on $(hostname)"'
else
  # shellcheck disable=SC2016
  SLURM_HOSTFILE=$folder/placement/hostfile srun --overcommit --distribution=arbitrary -n 2 \
    sh -c 'echo "placed: $SLURM_PROCID on $(hostname -s)"'
fi
