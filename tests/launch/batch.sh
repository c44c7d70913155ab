#!/usr/bin/env bash
# Hands a job to Slurm, waits for it, and prints what it has printed.
# SPDX-License-Identifier: Apache-2.0
#
# usage: batch.sh RANKS JOB ARGUMENTS...; there may be more ranks than processors
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code=0
SLURM_OVERCOMMIT=1 sbatch --quiet --wait --overcommit --ntasks="$1" --chdir="$folder" --output="$folder/output" \
  "${@:2}" || code=$?
cat "$folder/output"
exit "$code"
