#!/usr/bin/env bash
# A job of Slurm with spare nodes: when a node dies, the run goes on from its newest checkpoint on the others.
# SPDX-License-Identifier: Apache-2.0
#
# usage: sbatch --nodes=COMPUTING+SPARE slurm_spares.sh FILE ARGUMENTS...    (those of ./tacit run)
# Environment: TACIT_SPARES, nodes beyond those that compute (1); TACIT_ATTEMPTS, how often a run is started at most
# (5); TACIT_SRUN, further options of srun (--mpi=pmix); TACIT_PROGRAM (./tacit); TACIT_ANSWER_S, how long a node has to
# answer (60).
# Exit codes: those of ./tacit run. 0: finished. 6: stopped early; submit the job again. 4: also if too few nodes are
# left; submit it again. Any other: it would fail again.
#SBATCH --nodes=5
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@120
#SBATCH --no-kill
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

spares=${TACIT_SPARES:-1}
attempts=${TACIT_ATTEMPTS:-5}
program=${TACIT_PROGRAM:-./tacit}
answer_s=${TACIT_ANSWER_S:-60}
read -r -a options <<<"${TACIT_SRUN---mpi=pmix}"
at_once=32 # nodes that are asked at the same time

say() { printf 'slurm_spares.sh: %s\n' "$*" >&2; }

# Whether Slurm can start something on a node. The options share what a step has that has not quite ended.
answers() {
  timeout --kill-after=5 "$answer_s" srun --overlap --mem=0 --nodes=1 --ntasks=1 --ntasks-per-node=1 \
    --cpus-per-task=1 --nodelist="$1" --mpi=none --input=none --quiet true >/dev/null 2>&1
}

# Sets `lost` to those of the nodes that do not answer.
find_lost() {
  local -a asked
  local i k
  lost=()
  for ((i = 0; i < ${#nodes[@]}; i += at_once)); do
    asked=()
    for ((k = i; k < i + at_once && k < ${#nodes[@]}; ++k)); do
      answers "${nodes[k]}" &
      asked+=("$!")
    done
    for ((k = 0; k < ${#asked[@]}; ++k)); do wait "${asked[k]}" || lost+=("${nodes[i + k]}"); done
  done
}

# Removes from `nodes` those that are lost.
exclude_lost() {
  local -a left=()
  local node
  for node in "${nodes[@]}"; do [[ " ${lost[*]} " == *" $node "* ]] || left+=("$node"); done
  nodes=("${left[@]}")
}

# What is left of the steps of an attempt: processes that still write would keep the output directory.
end_steps() {
  local step
  for step in $(squeue --steps --noheader --job="$SLURM_JOB_ID" --format=%i 2>/dev/null); do
    [[ $step == *.batch || $step == *.extern ]] || scancel --quiet "$step"
  done
}

# Not --no-kill: the job outlives a node, the step of a distributed run does not. Ranks end together, or not at all: not
# --kill-on-bad-exit, which would kill the last one of a run that stopped early.
run() {
  local used
  used=$(IFS=, && echo "${nodes[*]:0:computing}")
  srun --no-kill=off --wait=120 --overlap --nodes="$computing" --nodelist="$used" \
    --ntasks=$((computing * per_node)) --ntasks-per-node="$per_node" "${options[@]}" \
    "$program" run "$@" --restart if-any
}

if [[ -z ${SLURM_JOB_ID:-} || $# -eq 0 ]]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
computing=$((${#nodes[@]} - spares))
per_node=${SLURM_NTASKS_PER_NODE:-1}
if ((computing < 1)); then
  say "the job has ${#nodes[@]} nodes, and $spares are to be spare; ask for more by --nodes"
  exit 2
fi
# They are of the whole job, and srun would take them.
unset SLURM_NTASKS SLURM_NPROCS SLURM_NNODES SLURM_JOB_NUM_NODES SLURM_TASKS_PER_NODE

for ((attempt = 1; attempt <= attempts; ++attempt)); do
  run "$@"
  code=$?
  case $code in
    0) exit 0 ;;
    2 | 3) exit "$code" ;; # the input, or the installation: the same everywhere
    6) say 'the run has stopped early; submit the job again, and it goes on' && exit 6 ;;
  esac
  end_steps
  find_lost
  if ((${#lost[@]} == 0)); then
    say "the run has ended with $code; all nodes answer, so it would end so again"
    exit "$code"
  fi
  say "attempt $attempt has ended with $code; these nodes do not answer: ${lost[*]}"
  exclude_lost
  if ((${#nodes[@]} < computing)); then
    say "${#nodes[@]} nodes are left, and the run needs $computing; submit the job again, and it goes on"
    exit 4
  fi
done
say "$attempts attempts have failed; submit the job again, and it goes on"
exit 4
