#!/usr/bin/env bash
# A job of Slurm that starts a program by srun: sbatch by_srun.sh PROGRAM ARGUMENTS...
# SPDX-License-Identifier: Apache-2.0
#SBATCH --ntasks=4
#SBATCH --time=00:10:00
srun --mpi=pmix "$@"
