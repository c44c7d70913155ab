#!/usr/bin/env bash
# Hands a job to Slurm, waits for it, and prints what it has printed.
# SPDX-License-Identifier: Apache-2.0
#
# usage: batch.sh RANKS JOB ARGUMENTS...; there may be more ranks than processors. The exit code is that of the job.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What Slurm says of the job: "COMPLETED 0:0".
state() { scontrol --oneliner show job "$1" | sed 's/.* JobState=\([A-Z]*\) .* ExitCode=\([0-9:]*\) .*/\1 \2/'; }

# Asks more often than `sbatch --wait`, which looks after seconds.
export SLURM_OVERCOMMIT=1 # for srun inside the job
job=$(sbatch --parsable --overcommit --ntasks="$1" --chdir="$folder" --output="$folder/output" "${@:2}")
while [[ $(state "$job") =~ ^(PENDING|CONFIGURING|RUNNING|COMPLETING) ]]; do sleep 0.2; done
ended=$(state "$job")
cat "$folder/output"
if [[ $ended != 'COMPLETED 0:0' ]]; then
  echo "batch.sh: job $job: $ended"
  exit 1
fi
